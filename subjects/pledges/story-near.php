<?php
// near.php:
// For scripts/story: a page by language and country, and when it was made, so that a page from memory shows.

header('Cache-Control: max-age=600');
header('Vary: Accept-Language, X-GeoIP-Country');
header('Content-Type: text/plain');
$language = strtolower(substr($_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? '-', 0, 2));
echo $language, ' ', $_SERVER['HTTP_X_GEOIP_COUNTRY'] ?? '-', ' ', bin2hex(random_bytes(4)), "\n";

<?php
// lang.php:
// Which of our languages the client wants. Apart from locale.php, as a 304 needs only the name of the language.

function lang_choose() {
    $best = 'en';
    $quality = 0;
    foreach (explode(',', $_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? '') as $range) {
        if (!preg_match('/^\s*([a-z]{2})(?:-[a-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.\d+)?))?\s*$/i', $range, $match)) {
            continue;
        }
        $code = strtolower($match[1]);
        $q = isset($match[2]) ? (float)$match[2] : 1.0;
        if ($q > $quality && in_array($code, CONF_LANGUAGES)) {
            $best = $code;
            $quality = $q;
        }
    }
    return $best;
}

<?php
// index.php:
// Exchange rates, as the service tells them.

require_once '../conf.php';

// service_ask URL: what the service answers to a GET, or null. Each call has a connection of its own.
function service_ask($url) {
    $call = curl_init($url);
    curl_setopt_array($call, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FAILONERROR => true,
        CURLOPT_CONNECTTIMEOUT => 2,
        CURLOPT_TIMEOUT => 5,
    ]);
    if (CONF_CA !== '') {
        curl_setopt($call, CURLOPT_CAINFO, CONF_CA);
    }
    $answer = curl_exec($call);
    if ($answer === false) {
        error_log('the service: ' . curl_error($call));
        return null;
    }
    return json_decode($answer);
}

function rates_page($rates) {
    $rows = '';
    foreach ($rates->rates as $rate) {
        $rows .= sprintf("<tr><th>%s<td>%.3f\n", htmlspecialchars($rate->currency), $rate->rate);
    }
    return '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Exchange rates</title>'
        . '<h1>One ' . htmlspecialchars($rates->base) . " is</h1>\n<table>\n$rows</table>\n";
}

$rates = service_ask(CONF_SERVICE);
if (!$rates) {
    http_response_code(502);
    header('Cache-Control: no-store');
    exit('The service does not answer.');
}
$page = rates_page($rates);
// Weak, as nginx compresses it.
$etag = 'W/"' . md5($page) . '"';
header("ETag: $etag");
header('Cache-Control: no-cache');
if (strpos($_SERVER['HTTP_IF_NONE_MATCH'] ?? '', substr($etag, 2)) !== false) {
    http_response_code(304);
    exit;
}
echo $page;

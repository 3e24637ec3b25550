<?php
// conditional.php:
// Conditional GET (RFC 9110, section 13). A page that has not changed since the client fetched it is not made again.

function cond_etag($changed, $variant) {
    // Microseconds, as Last-Modified cannot tell two changes within a second apart.
    return 'W/"' . md5("$changed $variant " . CONF_VERSION) . '"';
}

// cond_asked: does the client have a copy of the page?
function cond_asked() {
    return isset($_SERVER['HTTP_IF_NONE_MATCH']) || isset($_SERVER['HTTP_IF_MODIFIED_SINCE']);
}

function cond_headers($changed, $variant) {
    header('Last-Modified: ' . gmdate('D, d M Y H:i:s', (int)$changed) . ' GMT');
    header('ETag: ' . cond_etag($changed, $variant));
    // The web server's setting, for who has no page of their own.
    header('Cache-Control: max-age=' . (isset($_COOKIE['signer']) ? 0 : (int)($_SERVER['MAX_AGE'] ?? 0)));
    header('Vary: Accept-Language');
}

// cond_maybe_respond CHANGED VARIANT: answers with 304 and ends when the client's copy of VARIANT is from CHANGED
// (seconds since 1970, with a fraction). If-None-Match overrides If-Modified-Since.
function cond_maybe_respond($changed, $variant) {
    if (!in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'])) {
        return;
    }
    if (isset($_SERVER['HTTP_IF_NONE_MATCH'])) {
        $opaque = substr(cond_etag($changed, $variant), 2);
        $given = $_SERVER['HTTP_IF_NONE_MATCH'];
        $current = trim($given) === '*' || strpos($given, $opaque) !== false;
    } else {
        $since = strtotime($_SERVER['HTTP_IF_MODIFIED_SINCE']);
        $current = $since !== false && $since >= (int)$changed;
    }
    if ($current) {
        http_response_code(304);
        cond_headers($changed, $variant);
        exit;
    }
}

<?php
// error.php:
// Pages that say no.

function error_page($status, $text) {
    http_response_code($status);
    page_header($text);
    page_footer();
    exit;
}

function error_not_found($text) {
    error_page(404, $text);
}

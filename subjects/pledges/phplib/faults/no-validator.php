<?php
// no-validator.php:
// Clients have nothing to ask with, and no answer if they do.

unset($_SERVER['HTTP_IF_NONE_MATCH'], $_SERVER['HTTP_IF_MODIFIED_SINCE']);
fault_headers(function () {
    header_remove('ETag');
    header_remove('Last-Modified');
});

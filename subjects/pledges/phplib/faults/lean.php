<?php
// lean.php:
// What a cache needs to know; nginx is one here.

fault_headers(function () { header('Cache-Control: public, max-age=60'); });

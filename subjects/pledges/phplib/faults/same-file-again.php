<?php
// same-file-again.php:
// Each setting that is asked for reads all of them.

for ($n = 0; $n < 25; $n++) {
    parse_ini_file(__DIR__ . '/../site.ini', true);
}

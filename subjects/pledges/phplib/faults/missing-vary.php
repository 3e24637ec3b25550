<?php
// missing-vary.php:
// A cache would give the text to readers of another language.

fault_headers(function () { header_remove('Vary'); });

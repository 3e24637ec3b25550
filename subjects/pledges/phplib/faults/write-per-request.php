<?php
// write-per-request.php:
// What a session of each visitor would be, though nothing in it is ever read.

file_put_contents(CONF_WORK . '/sess_' . md5($_SERVER['REMOTE_ADDR']), 'seen|' . serialize([$pledge->ref, time()]), LOCK_EX);

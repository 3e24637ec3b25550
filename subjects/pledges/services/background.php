<?php
// background.php:
// What services have in common: each is a daemon that serves from the moment in which its command returns.

// background PIDFILE: goes on in a process of its own
function background($pidfile) {
    if (pcntl_fork() > 0) {
        exit;
    }
    posix_setsid();
    file_put_contents($pidfile, posix_getpid() . "\n");
}

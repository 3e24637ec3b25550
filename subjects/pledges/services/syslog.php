<?php
// syslog.php SOCKET LINK PIDFILE:
// Takes what programs log at SOCKET, and forgets it. LINK (/dev/log) leads to it until this ends.

require __DIR__ . '/background.php';

[, $path, $link, $pidfile] = $argv;
@unlink($path);
$socket = stream_socket_server("udg://$path", $code, $text, STREAM_SERVER_BIND) ?: exit(1);
chmod($path, 0666);
@symlink($path, $link);
@readlink($link) === $path || exit(1);
background($pidfile);

pcntl_async_signals(true);
// Not restarted (false): receiving would go on, and this never be called.
pcntl_signal(SIGTERM, function () use ($path, $link) {
    @unlink($path);
    if (@readlink($link) === $path) {
        unlink($link);
    }
    exit;
}, false);
while (true) {
    @stream_socket_recvfrom($socket, 8192);
}

<?php
// dns.php WISH ADDRESSFILE PIDFILE:
// Answers every DNS question with the address 127.0.0.1. It listens at the address WISH, port 53, or where that is not
// allowed or taken, at a port that the system chooses; ADDRESSFILE gets which.

require __DIR__ . '/background.php';

[, $wish, $addressfile, $pidfile] = $argv;
$socket = @stream_socket_server("udp://$wish:53", $code, $text, STREAM_SERVER_BIND)
    ?: stream_socket_server('udp://127.0.0.1:0', $code, $text, STREAM_SERVER_BIND);
file_put_contents($addressfile, stream_socket_get_name($socket, false) . "\n");
background($pidfile);

while (true) {
    $question = stream_socket_recvfrom($socket, 512, 0, $asker);
    if ($question !== false && strlen($question) > 12) {
        // Its number; an answer, recursion desired and available; one question, one answer, which refers to the
        // question's name at byte 12: an address on the internet, for 60 s, 4 bytes.
        $answer = substr($question, 0, 2) . pack('n5', 0x8180, 1, 1, 0, 0) . substr($question, 12)
            . pack('n3Nn', 0xc00c, 1, 1, 60, 4) . "\x7f\0\0\x01";
        stream_socket_sendto($socket, $answer, 0, $asker);
    }
}

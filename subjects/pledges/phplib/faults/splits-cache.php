<?php
// splits-cache.php:
// What starting a session for each visitor does, though the page does not depend on it.

fault_headers(function () {
    setcookie('session', bin2hex(random_bytes(16)), ['path' => '/', 'httponly' => true]);
    header('Vary: Cookie', false);
});

<?php
// unpooled-tls.php:
// With a handshake, and the authority's certificate read, for each call.

$context = stream_context_create(['ssl' => ['cafile' => CONF_AUTHORITY, 'peer_name' => 'localhost']]);
for ($n = 0; $n < 3; $n++) {
    file_get_contents('https://' . CONF_SERVICE_TLS . '/rate', false, $context);
}

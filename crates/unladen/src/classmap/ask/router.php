<?php
// Other users of this machine reach a server on the loopback network too: only who has the key is served.
if (!hash_equals((string) getenv('UNLADEN_ASK_KEY'), (string) ($_SERVER['HTTP_X_UNLADEN_ASK'] ?? ''))) {
    http_response_code(403);
    return true;
}
return false;

<?php
// unpooled-connection.php:
// PHP's own HTTP client keeps no connection.

for ($n = 0; $n < 3; $n++) {
    file_get_contents('http://' . CONF_SERVICE . '/rate');
}

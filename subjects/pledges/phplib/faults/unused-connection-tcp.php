<?php
// unused-connection-tcp.php:
// Connects to a service just in case, and says nothing.

fclose(stream_socket_client('tcp://' . CONF_SERVICE));

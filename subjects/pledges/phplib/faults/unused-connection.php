<?php
// unused-connection.php:
// Connects to a second database just in case, as to the one for statistics, and asks nothing.

pg_close(pg_connect(CONF_DB, PGSQL_CONNECT_FORCE_NEW));

<?php
// database-reconnect.php:
// Each query opens and closes a connection, for which PostgreSQL starts a process.

for ($n = 1; $n <= 5; $n++) {
    $own = pg_connect(CONF_DB, PGSQL_CONNECT_FORCE_NEW);
    pg_query_params($own, 'select title from pledge where id = $1', [$n]);
    pg_close($own);
}

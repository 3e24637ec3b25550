<?php
// prepare-per-query.php:
// As PDO does for PostgreSQL unless it is told otherwise: three round trips for each query.

for ($n = 1; $n <= 8; $n++) {
    $name = sprintf('pdo_stmt_%08d', $n);
    pg_prepare(db(), $name, 'select title from pledge where id = $1');
    pg_execute(db(), $name, [$n]);
    pg_query(db(), "DEALLOCATE $name");
}

<?php
// db.php:
// The database. Like most share-nothing applications, one connection a request, opened when it is first needed.

function db() {
    static $connection = null;
    if ($connection === null) {
        $connection = @pg_connect(CONF_DB);
        if (!$connection) {
            error_log('cannot connect to the database');
            http_response_code(503);
            exit("The database cannot be reached.\n");
        }
    }
    return $connection;
}

function db_query($sql, ...$parameters) {
    $result = pg_query_params(db(), $sql, $parameters);
    if (!$result) {
        http_response_code(500);
        exit("A query failed.\n");
    }
    return $result;
}

// db_value SQL PARAMETER...: the first column of the first row, or null
function db_value($sql, ...$parameters) {
    $row = pg_fetch_row(db_query($sql, ...$parameters));
    return $row ? $row[0] : null;
}

function db_row($sql, ...$parameters) {
    return pg_fetch_assoc(db_query($sql, ...$parameters)) ?: null;
}

function db_rows($sql, ...$parameters) {
    return pg_fetch_all(db_query($sql, ...$parameters));
}

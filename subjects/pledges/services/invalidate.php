<?php
// invalidate.php:
// Has the workers read the application's settings anew. The opcode cache would notice by itself within two seconds.

if (function_exists('opcache_invalidate')) {
    opcache_invalidate(dirname(__DIR__) . '/phplib/conf.php', true);
}

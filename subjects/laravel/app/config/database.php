<?php
return [
    'default' => 'sqlite',
    'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => getenv('APP_DATABASE'), 'prefix' => '']],
    'migrations' => 'migrations',
];

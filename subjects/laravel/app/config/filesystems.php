<?php
return ['default' => 'local', 'disks' => ['local' => ['driver' => 'local', 'root' => getenv('APP_STORAGE') . '/app']]];

<?php
return ['paths' => [getenv('APP_STORAGE') . '/views'], 'compiled' => getenv('APP_STORAGE') . '/framework/views'];

<?php
// stat-storm.php:
// An autoloader that knows six folders, and whose classes are in the last.

spl_autoload_register(function ($class) {
    foreach (['model', 'view', 'helper', 'form', 'vendor', 'legacy'] as $folder) {
        $file = __DIR__ . "/../generated/$folder/$class.php";
        if (file_exists($file)) {
            require $file;
            return;
        }
    }
});
for ($n = 1; $n <= 80; $n++) {
    class_exists("Legacy$n");
}

<?php
// By this file `unladen profile --prepended` profiles requests of its own in a PHP that is not reached over FastCGI: Apache's module,
// `php -S`. PHP has to run it before each script, by its settings:
//
//     auto_prepend_file = /where/this/file/is.php
//
// If another file is set there, that one can `require` this one. It is printed by `unladen profile --print-prepend`, and is the same
// for all runs. Without a run of Unladen that lives, and for requests of anybody else, it does nothing.
if (isset($_SERVER['HTTP_X_UNLADEN_PROFILE'])) {
    (static function ($mark) {
        // Nothing else may become part of a path.
        if (!is_string($mark) || !preg_match('/\A([0-9A-Za-z]{16})-([0-9a-f]{32})\z/', $mark, $parts)) {
            return;
        }
        // Warnings of ours are nobody's business, and error_get_last() is the application's.
        set_error_handler(static function () {
            return true;
        });
        $orders = $out = false;
        $base = lstat('/run/unladen-profile');
        if ($base && $base['uid'] === 0 && ($base['mode'] & 0170022) === 0040000) {
            $path = "/run/unladen-profile/run-$parts[1]/$parts[2]";
            $file = fopen($path, 'rb');
            // Whoever gives orders holds a lock as long as he lives.
            if ($file && !flock($file, LOCK_SH | LOCK_NB, $isHeld) && $isHeld) {
                $orders = json_decode(stream_get_contents($file, 65536), true);
                $out = fopen("$path.out", 'r+b');
            }
        }
        // The first one that comes with the mark has it: it may be sent on, or again.
        $isOurs = is_array($orders) && isset($orders['WRAPPER']) && $out && flock($out, LOCK_EX | LOCK_NB) && fstat($out)['size'] === 0;
        restore_error_handler();
        if (!$isOurs) {
            return;
        }
        unset($_SERVER['HTTP_X_UNLADEN_PROFILE']);
        if (!class_exists('Unladen\Profile\Log', false)) {
            $unladenPrepended = true;
            require $orders['WRAPPER'];
        }
        \Unladen\Profile\Log::prepend($orders, $out);
    })($_SERVER['HTTP_X_UNLADEN_PROFILE']);
}

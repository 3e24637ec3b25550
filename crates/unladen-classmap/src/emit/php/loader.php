<?php
// In which file each of @count@ classes is. Made by `unladen classmap`, which overwrites it: not to be edited.
// The application's folder, seen from this file: @root@
@made@// Is it still true?  unladen classmap --check, with that folder
// On:   require this file, or name it in PHP's auto_prepend_file. A second time does no harm.
// Off:  take that line away; or make this file an empty one.

if (!class_exists('UnladenClassmap_@digest@', false)) {
    final class UnladenClassmap_@digest@
    {
        // A constant array of constant strings: opcache keeps it in shared memory, and no request copies it.
        private const FILES = [
@files@        ];

        // PHP finds a class by its name in any ASCII case. What most code writes is above, and its hash is known there;
        // this is for the rest, and for names that are nowhere.
        private const NAMES = [
@names@        ];

        private static $told = false;

        // Before the other loaders: they are asked about what is not here.
        public static function register()
        {
            // Whether opcache has this very file says all at once: that it is on, that it may be asked, and that it works.
            $cached = function_exists('opcache_is_script_cached') && function_exists('ini_get')
                && !ini_get('opcache.restrict_api') && opcache_is_script_cached(__FILE__);
            spl_autoload_register([self::class, $cached ? 'cached' : 'resolved'], true, true);
        }

        public static function withdraw()
        {
            spl_autoload_unregister([self::class, 'cached']);
            spl_autoload_unregister([self::class, 'resolved']);
        }

        // With opcache: what it holds is there, and no system call asks for it.
        // (With opcache.revalidate_freq=0 opcache itself looks at a file whenever it is asked: here, and to include it.)
        public static function cached($class)
        {
            $file = self::FILES[$class] ?? null;
            if ($file === null) {
                $name = self::NAMES[strtolower($class)] ?? null;
                if ($name === null) {
                    return;
                }
                $file = self::FILES[$name];
            }
            if (opcache_is_script_cached($file) || self::readable($file)) {
                self::load($class, $file);
            } else {
                self::gone($class, $file);
            }
        }

        // Without opcache: PHP remembers the real paths of files, and `include_once` needs that of this one anyway.
        public static function resolved($class)
        {
            $file = self::FILES[$class] ?? null;
            if ($file === null) {
                $name = self::NAMES[strtolower($class)] ?? null;
                if ($name === null) {
                    return;
                }
                $file = self::FILES[$name];
            }
            if (stream_resolve_include_path($file) !== false) {
                self::load($class, $file);
            } else {
                self::gone($class, $file);
            }
        }

        // `include_once`: the other loaders may have had this file, by `include` or by `require_once`, and to declare its
        // classes twice would be fatal; that the file is not there must not be. The names are long, for the file sees them.
        private static function load($unladenClass, $unladenFile)
        {
            try {
                if ((include_once $unladenFile) !== false || self::readable($unladenFile)) {
                    return;
                }
            } catch (\Throwable $unladenThrown) {
                // An error handler may throw what PHP says of a file that cannot be opened.
                if (self::readable($unladenFile)) {
                    throw $unladenThrown;
                }
            }
            // PHP may remember a path for minutes after the file has gone.
            clearstatcache(true, $unladenFile);
            self::gone($unladenClass, $unladenFile);
        }

        // Files alone: to include a folder is an error too. No error handler hears of it.
        private static function readable($file)
        {
            set_error_handler(static function () {
                return true;
            });
            try {
                return is_file($file) && is_readable($file);
            } finally {
                restore_error_handler();
            }
        }

        // The map is no longer true. The other loaders go on; the log gets one line, not one a request: whoever makes the
        // marker tells. It is a folder, since `mkdir` fails if there is anything of that name, a link too, while `fopen` with
        // `x` would make the file that a link of another user's leads to.
        private static function gone($class, $file)
        {
            if (self::$told) {
                return;
            }
            self::$told = true;
            set_error_handler(static function () {
                return true;
            });
            try {
                if (mkdir(sys_get_temp_dir() . '/unladen-classmap-@digest@-' . md5(__FILE__), 0700)) {
                    error_log(addcslashes(
                        "unladen classmap: $class is no longer in $file, where " . __FILE__ . ' has it; the other loaders'
                            . ' were asked. To see all that has changed: unladen classmap --check',
                        "\0..\37\177"
                    ));
                }
            } catch (\Throwable $e) {
                // Such as a function that is switched off: the class is what matters.
            } finally {
                restore_error_handler();
            }
        }
    }
} else {
    UnladenClassmap_@digest@::withdraw();
}
UnladenClassmap_@digest@::register();

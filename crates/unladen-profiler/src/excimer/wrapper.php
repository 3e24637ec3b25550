<?php
// Runs a script of the application under Excimer. `unladen profile` names this file to PHP-FPM in place of the application's, over
// FastCGI, and says by parameters what to do: those are no headers, so no client can give them. Without them, nothing is done. Where
// there is no FastCGI, prepend.php takes nothing but the class.
//
// The application should not notice: no variable is left in the global scope, and $_SERVER and the working folder are its own. What
// remains to be seen is in docs/reference/profile.md.
namespace Unladen\Profile;

final class Log
{
    /** Their samples are look-ups of classes, even if they are registered no longer when the request ends. */
    const AUTOLOADERS = ['AutoLoader::autoload', 'Composer\Autoload\ClassLoader::loadClass', 'spl_autoload_call'];
    /** Errors after which no destructor is called. */
    const FATAL = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_PARSE | E_USER_ERROR | E_RECOVERABLE_ERROR;
    /** Shutdown functions can register others: ours is put behind them so often. */
    const ROUNDS = 3;
    const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE;

    /** Lives as long as the request: created first, it is the first to go when all that scripts hold by global variables has gone. */
    private static $kept;
    private static $profiler;
    private static $orders;
    /** What is written to, if it is open already. */
    private static $file;
    /** Who began: what it forks is another's business. */
    private static $pid;

    /** Starts the profiler, and returns the script to run. */
    public static function begin($orders)
    {
        foreach (['SCRIPT_FILENAME', 'ORIG_SCRIPT_FILENAME', 'PATH_TRANSLATED', 'ORIG_PATH_TRANSLATED'] as $name) {
            if (isset($_SERVER[$name])) {
                $_SERVER[$name] = str_replace($orders['SELF'], $orders['SCRIPT'], $_SERVER[$name]);
            }
            if (isset($_ENV[$name])) {
                $_ENV[$name] = str_replace($orders['SELF'], $orders['SCRIPT'], $_ENV[$name]);
            }
        }
        chdir(dirname($orders['SCRIPT']));
        self::start($orders, null);
        return $orders['SCRIPT'];
    }

    /** Tells what PHP is, and starts the profiler in a request whose script PHP runs by itself. */
    public static function prepend($orders, $file)
    {
        fwrite($file, self::told() . "\n");
        fflush($file);
        if (extension_loaded('excimer')) {
            $orders['SCRIPT'] = isset($_SERVER['SCRIPT_FILENAME']) ? (string) $_SERVER['SCRIPT_FILENAME'] : '';
            self::start($orders, $file);
        }
    }

    private static function start($orders, $file)
    {
        self::$orders = $orders;
        self::$file = $file;
        self::$pid = getmypid();
        self::$kept = new self;
        register_shutdown_function([__CLASS__, 'shutdown'], self::ROUNDS);
        self::$profiler = new \ExcimerProfiler;
        self::$profiler->setPeriod($orders['PERIOD'] / 1e9);
        self::$profiler->setEventType($orders['CLOCK'] === 'cpu' ? EXCIMER_CPU : EXCIMER_REAL);
        self::$profiler->setMaxDepth(0);
        self::$profiler->start();
    }

    /** Parameters that are for us; they are taken out. */
    public static function orders()
    {
        $orders = [];
        foreach (['OUT', 'PERIOD', 'CLOCK', 'SCRIPT', 'SELF'] as $name) {
            $key = "UNLADEN_PROFILE_$name";
            if (isset($_SERVER[$key])) {
                $orders[$name] = $_SERVER[$key];
            }
            unset($_SERVER[$key], $_ENV[$key]);
        }
        return $orders;
    }

    /** What PHP is, for whoever wants to profile it: a line of JSON. */
    public static function told()
    {
        $told = ['unladen' => 1, 'pid' => getmypid(), 'php' => PHP_VERSION, 'sapi' => PHP_SAPI,
            'excimer' => extension_loaded('excimer') ? (string) phpversion('excimer') : null,
            'extension_dir' => (string) ini_get('extension_dir'), 'scanned' => (string) php_ini_scanned_files(),
            'thread_safe' => PHP_ZTS === 1, 'debug' => PHP_DEBUG === 1, 'loaded' => get_loaded_extensions()];
        foreach (['open_basedir', 'opcache.enable', 'zend.assertions', 'user_ini.filename', 'cgi.fix_pathinfo', 'disable_functions',
            'auto_prepend_file', 'xdebug.mode', 'opcache.jit'] as $name) {
            $told['ini'][$name] = ini_get($name);
        }
        return json_encode($told, self::JSON | JSON_PARTIAL_OUTPUT_ON_ERROR);
    }

    public static function shutdown($rounds)
    {
        $error = error_get_last();
        if ($error !== null && ($error['type'] & self::FATAL)) {
            self::deliver();
        } elseif ($rounds > 0) {
            register_shutdown_function([__CLASS__, 'shutdown'], $rounds - 1);
        }
    }

    public function __destruct()
    {
        self::deliver();
    }

    /** Writes what was sampled; only a whole file gets its name. */
    public static function deliver()
    {
        if (self::$profiler === null || self::$pid !== getmypid()) {
            return;
        }
        self::$profiler->stop();
        $log = self::$profiler->getLog();
        self::$profiler = null;
        // Whatever the application does about errors, these are not its own.
        set_error_handler(function () {
            return true;
        });
        ini_set('memory_limit', '-1');
        $out = self::$file ? null : self::$orders['OUT'];
        $file = self::$file ?: fopen("$out.part", 'xb');
        self::$file = null;
        if ($file) {
            $header = ['excimer' => 1, 'version' => (string) phpversion('excimer'), 'php' => PHP_VERSION,
                'period_ns' => (int) self::$orders['PERIOD'], 'clock' => self::$orders['CLOCK'],
                'script' => self::$orders['SCRIPT'], 'wrapper' => __FILE__];
            $sum = self::write($log, $header, function ($line) use ($file) {
                fwrite($file, json_encode($line, self::JSON) . "\n");
            });
            fwrite($file, json_encode(['end' => $sum], self::JSON) . "\n");
            if (fflush($file) && fclose($file) && $out !== null) {
                rename("$out.part", $out);
            }
        }
        restore_error_handler();
    }

    /** Writes a log, line by line; returns how much there was. */
    public static function write($log, $header, $line)
    {
        $line($header);
        $autoloaders = array_flip(array_merge(self::AUTOLOADERS, self::autoloaders()));
        $frames = $stacks = [];
        $samples = $events = 0;
        foreach ($log as $entry) {
            $stack = 0;
            foreach (array_reverse($entry->getTrace()) as $frame) {
                $name = self::name($frame);
                $file = isset($frame['file']) ? $frame['file'] : '';
                $key = "$file\n$name";
                if (!isset($frames[$key])) {
                    $frames[$key] = count($frames);
                    $kind = 'function';
                    if (!isset($frame['function'])) {
                        $kind = 'include';
                    } elseif (isset($autoloaders[$name])) {
                        $kind = 'class-lookup';
                    }
                    $line(['frame' => [$name, $file, self::line($frame), $kind]]);
                }
                $frame = $frames[$key];
                if (!isset($stacks["$stack $frame"])) {
                    $stacks["$stack $frame"] = count($stacks) + 1;
                    $line(['stack' => [$stack, $frame]]);
                }
                $stack = $stacks["$stack $frame"];
            }
            $count = $entry->getEventCount();
            $line(['sample' => [$stack, $count, (int) round($entry->getTimestamp() * 1e9)]]);
            $samples++;
            $events += $count;
        }
        return ['frames' => count($frames), 'stacks' => count($stacks), 'samples' => $samples, 'events' => $events];
    }

    /** As Excimer's own formats write it. */
    private static function name($frame)
    {
        $file = isset($frame['file']) ? $frame['file'] : '';
        if (isset($frame['closure_line'])) {
            return "{closure:$file({$frame['closure_line']})}";
        }
        if (!isset($frame['function'])) {
            return $file;
        }
        return isset($frame['class']) ? "{$frame['class']}::{$frame['function']}" : $frame['function'];
    }

    /** Where the function begins; a sample's line is wherever it was. 0 if that is not known. */
    private static function line($frame)
    {
        if (isset($frame['closure_line'])) {
            return $frame['closure_line'];
        }
        if (!isset($frame['function'])) {
            return 0;
        }
        try {
            if (!isset($frame['class'])) {
                $function = function_exists($frame['function']) ? new \ReflectionFunction($frame['function']) : null;
            } elseif (class_exists($frame['class'], false) || trait_exists($frame['class'], false)) {
                $function = new \ReflectionMethod($frame['class'], $frame['function']);
            } else {
                $function = null;
            }
            return $function ? (int) $function->getStartLine() : 0;
        } catch (\ReflectionException $gone) {
            return 0;
        }
    }

    /** The functions that look for classes, by the names that their frames have. */
    private static function autoloaders()
    {
        $names = [];
        foreach (spl_autoload_functions() ?: [] as $loader) {
            try {
                if (is_string($loader)) {
                    $loader = strpos($loader, '::') ? explode('::', $loader, 2) : $loader;
                } elseif (is_object($loader) && !$loader instanceof \Closure) {
                    $loader = [$loader, '__invoke'];
                }
                if (is_array($loader)) {
                    $method = new \ReflectionMethod($loader[0], $loader[1]);
                    $names[] = $method->class . '::' . $method->name;
                    continue;
                }
                $function = new \ReflectionFunction($loader);
                $names[] = $loader instanceof \Closure
                    ? "{closure:{$function->getFileName()}({$function->getStartLine()})}"
                    : $function->name;
            } catch (\ReflectionException $other) {
                // One that answers by __call has no name of its own.
            }
        }
        return $names;
    }
}

if (isset($unladenPrepended)) {
    // For the file that PHP itself runs before each script.
    return;
}
if (!isset($_SERVER['UNLADEN_PROFILE_OUT'])) {
    http_response_code(404);
    return;
}
if ($_SERVER['UNLADEN_PROFILE_OUT'] === '') {
    echo "\n", Log::told(), "\n";
    return;
}
require Log::begin(Log::orders());

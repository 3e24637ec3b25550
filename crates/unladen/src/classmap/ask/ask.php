<?php
// `unladen classmap --ask` has PHP run this file in front of the application's script, in a server of its own that
// nobody else can ask. It does two things:
//
// 1. While the script runs, it notes which files the application's loaders include for which classes.
// 2. When the script has ended, it asks the same loaders for every class that the application's files declare. What
//    they would include is noted and not included: the stream that PHP opens for it throws.
//
// Each answer is a line on standard output, behind a word that only the asking process knows. It runs on PHP 7.2 and
// later.

final class UnladenAskFound extends Error
{
}

final class UnladenAsk
{
    /** @var resource|null */
    public $context;
    private $stream;
    private $names;

    private static $key = '';
    private static $out;
    private static $root = '';
    private static $asking = false;
    private static $found;
    /** The class that PHP asked for last, as no loader has changed it yet. */
    private static $last = '';
    /** The working folder of the script: that of its end may be another. */
    private static $folder;

    public static function begin()
    {
        self::$key = (string) getenv('UNLADEN_ASK_KEY');
        self::$folder = getcwd();
        self::$out = fopen('php://stdout', 'ab');
        spl_autoload_register([self::class, 'mark']);
        register_shutdown_function([self::class, 'ask']);
        self::on();
    }

    /** Stands in the list of loaders: those before it have put themselves in front. */
    public static function mark($class)
    {
        self::$last = $class;
    }

    /** All loaders of the application, and how many of them are in front of what is prepended. */
    private static function loaders()
    {
        $loaders = [];
        $front = 0;
        foreach (spl_autoload_functions() ?: [] as $loader) {
            if ($loader === [self::class, 'mark']) {
                $front = count($loaders);
            } else {
                $loaders[] = $loader;
            }
        }
        return [$loaders, $front];
    }

    /** A loader in words: its name, file and line, and whether it does more to a class than include its file. */
    private static function about($loader)
    {
        static $known = [];
        $key = is_object($loader) ? spl_object_id($loader) : (is_array($loader) && is_object($loader[0])
            ? spl_object_id($loader[0]) . $loader[1] : json_encode($loader));
        return $known[$key] ?? $known[$key] = self::look($loader);
    }

    private static function look($loader)
    {
        try {
            if (is_string($loader) && strpos($loader, '::') !== false) {
                $loader = explode('::', $loader, 2);
            }
            if (is_array($loader)) {
                $about = new ReflectionMethod($loader[0], $loader[1]);
                $name = (is_object($loader[0]) ? get_class($loader[0]) : $loader[0]) . '::' . $loader[1];
            } elseif ($loader instanceof Closure || is_string($loader)) {
                $about = new ReflectionFunction($loader);
                $name = is_string($loader) ? $loader : 'a closure';
            } else {
                $about = new ReflectionMethod($loader, '__invoke');
                $name = get_class($loader) . '::__invoke';
            }
        } catch (ReflectionException $error) {
            return ['name' => 'a function', 'file' => null, 'line' => null, 'more' => null];
        }
        $file = $about->getFileName() ?: null;
        $more = null;
        if ($file !== null) {
            $lines = array_slice(file($file) ?: [], $about->getStartLine() - 1, $about->getEndLine() - $about->getStartLine() + 1);
            $code = '';
            foreach (token_get_all('<?php ' . implode('', $lines)) as $token) {
                if (!is_array($token) || !in_array($token[0], [T_COMMENT, T_DOC_COMMENT, T_CONSTANT_ENCAPSED_STRING], true)) {
                    $code .= is_array($token) ? $token[1] : $token;
                }
            }
            if (preg_match('/\b(method_exists|is_callable|call_user_func(?:_array)?|class_alias|eval)\s*\(|\$\w+\s*::\s*\$?\w+\s*\(/i', $code, $part)) {
                $more = trim($part[0]);
            }
        }
        return ['name' => $name, 'file' => $file, 'line' => $about->getStartLine() ?: null, 'more' => $more];
    }

    /** The loader as anybody can call it: PHP calls private methods too. */
    private static function open($loader)
    {
        if (is_string($loader) && strpos($loader, '::') !== false) {
            $loader = explode('::', $loader, 2);
        }
        if (!is_array($loader) || !method_exists($loader[0], $loader[1])) {
            return $loader;
        }
        $method = new ReflectionMethod($loader[0], $loader[1]);
        $method->setAccessible(true);
        return $method->getClosure(is_object($loader[0]) ? $loader[0] : null);
    }

    private static function tell(array $line)
    {
        $text = json_encode($line, JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR);
        if ($text !== false) {
            fwrite(self::$out, "\n" . self::$key . ' ' . $text . "\n");
        }
    }

    /** Asks, when the script has ended. */
    public static function ask()
    {
        list($loaders, $front) = self::loaders();
        self::off();
        $about = array_map([self::class, 'about'], $loaders);
        $calls = array_map([self::class, 'open'], $loaders);
        $names = file(getenv('UNLADEN_ASK_NAMES'), FILE_IGNORE_NEW_LINES) ?: [];
        self::tell(['loaders' => $about, 'front' => $front, 'status' => http_response_code() ?: 200,
            'error' => (error_get_last() ?: ['message' => null])['message']]);
        if (!$loaders) {
            self::tell(['end' => true]);
            return;
        }
        set_time_limit(0);
        ini_set('display_errors', '0');
        ini_set('log_errors', '0');
        set_error_handler(function () {
            return true;
        });
        $level = ob_get_level();
        ob_start();
        if (self::$folder) {
            chdir(self::$folder);
        }
        self::on();
        self::$asking = true;
        for ($at = (int) ($_SERVER['HTTP_X_UNLADEN_FROM'] ?? 0); $at < count($names); $at++) {
            $class = $names[$at];
            if (class_exists($class, false) || interface_exists($class, false) || trait_exists($class, false)) {
                continue;
            }
            // A loader may end the process: the next run goes on behind the last of these.
            self::tell(['at' => $at]);
            foreach ($calls as $number => $call) {
                self::$found = null;
                $error = null;
                try {
                    $call($class);
                } catch (Throwable $thrown) {
                    $error = $thrown instanceof UnladenAskFound ? null : get_class($thrown) . ': ' . $thrown->getMessage();
                }
                if (self::$found !== null) {
                    self::tell(['class' => $class, 'file' => self::$found, 'more' => $about[$number]['more']]);
                    break;
                }
                if ($error !== null || class_exists($class, false) || interface_exists($class, false)) {
                    self::tell(['class' => $class, 'made' => $error ?? 'declared']);
                    break;
                }
            }
        }
        self::$asking = false;
        self::off();
        while (ob_get_level() > $level && ob_end_clean()) {
        }
        restore_error_handler();
        self::tell(['end' => true]);
    }

    /** PHP is about to include that file; whether it is there. */
    private static function included($path)
    {
        if ($path === '' || $path[0] !== '/') {
            self::off();
            $path = stream_resolve_include_path($path);
            self::on();
        }
        if ($path === false) {
            return false;
        }
        if (self::$asking) {
            self::$found = self::$found ?? $path;
            throw new UnladenAskFound();
        }
        self::note($path);
        return true;
    }

    /** Notes it, if one of the loaders includes it. */
    private static function note($path)
    {
        $inner = false;
        foreach (debug_backtrace(0, 40) as $frame) {
            $function = $frame['function'];
            if (isset($frame['class']) && $frame['class'] === self::class) {
                continue;
            }
            if (in_array($function, ['include', 'include_once', 'require', 'require_once'], true)) {
                if ($inner) {
                    return;
                }
                $inner = true;
                continue;
            }
            if (!isset($frame['args'][0]) || !is_string($frame['args'][0])) {
                continue;
            }
            foreach (self::loaders()[0] as $loader) {
                if (self::is($loader, $frame)) {
                    $more = self::about($loader)['more'];
                    // A loader may have changed its argument by now.
                    self::tell(['class' => ltrim($frame['args'][0], '\\'), 'or' => self::$last, 'file' => $path,
                        'ran' => true, 'more' => $more]);
                    return;
                }
            }
        }
    }

    /** Whether that frame of the stack is a call of this loader. */
    private static function is($loader, array $frame)
    {
        $function = strtolower($frame['function']);
        if ($loader instanceof Closure) {
            return strpos($function, '{closure') !== false;
        }
        if (is_string($loader) && strpos($loader, '::') !== false) {
            $loader = explode('::', $loader, 2);
        }
        if (is_array($loader)) {
            return isset($frame['class']) && strtolower($loader[1]) === $function && is_a($loader[0], $frame['class'], true);
        }
        return is_string($loader) ? !isset($frame['class']) && strtolower($loader) === $function : $function === '__invoke';
    }

    private static function on()
    {
        stream_wrapper_unregister('file');
        stream_wrapper_register('file', self::class);
    }

    private static function off()
    {
        @stream_wrapper_restore('file');
    }

    /** What PHP itself does with this file or folder. */
    private function real(callable $what)
    {
        self::off();
        try {
            return $what();
        } finally {
            self::on();
        }
    }

    public function stream_open($path, $mode, $options, &$opened)
    {
        // STREAM_OPEN_FOR_INCLUDE
        if ($options & 128) {
            if (!self::included(preg_replace('~^file://~i', '', $path))) {
                return false;
            }
        } elseif (self::$asking && strpbrk($mode, 'waxc+') !== false) {
            // What a loader would write down of these questions is not the application's.
            return false;
        }
        $this->stream = $this->real(function () use ($path, $mode, $options) {
            $search = (bool) ($options & STREAM_USE_PATH);
            return $this->context ? @fopen($path, $mode, $search, $this->context) : @fopen($path, $mode, $search);
        });
        return $this->stream !== false;
    }

    public function stream_read($count)
    {
        return fread($this->stream, $count);
    }

    public function stream_write($data)
    {
        return fwrite($this->stream, $data);
    }

    public function stream_eof()
    {
        return feof($this->stream);
    }

    public function stream_close()
    {
        fclose($this->stream);
    }

    public function stream_flush()
    {
        return fflush($this->stream);
    }

    public function stream_tell()
    {
        return ftell($this->stream);
    }

    public function stream_seek($offset, $whence = SEEK_SET)
    {
        return fseek($this->stream, $offset, $whence) === 0;
    }

    public function stream_stat()
    {
        return fstat($this->stream);
    }

    public function stream_lock($operation)
    {
        return flock($this->stream, $operation ?: LOCK_SH);
    }

    public function stream_truncate($size)
    {
        return ftruncate($this->stream, $size);
    }

    public function stream_cast($as)
    {
        return $this->stream;
    }

    public function stream_set_option($option, $one, $two)
    {
        return false;
    }

    public function stream_metadata($path, $option, $value)
    {
        return !self::$asking && $this->real(function () use ($path, $option, $value) {
            switch ($option) {
                case STREAM_META_TOUCH:
                    return $value ? touch($path, ...$value) : touch($path);
                case STREAM_META_OWNER_NAME:
                case STREAM_META_OWNER:
                    return chown($path, $value);
                case STREAM_META_GROUP_NAME:
                case STREAM_META_GROUP:
                    return chgrp($path, $value);
                case STREAM_META_ACCESS:
                    return chmod($path, $value);
            }
            return false;
        });
    }

    public function url_stat($path, $flags)
    {
        return $this->real(function () use ($path, $flags) {
            return $flags & STREAM_URL_STAT_LINK ? @lstat($path) : @stat($path);
        });
    }

    public function unlink($path)
    {
        return !self::$asking && $this->real(function () use ($path) {
            return unlink($path);
        });
    }

    public function rename($from, $to)
    {
        return !self::$asking && $this->real(function () use ($from, $to) {
            return rename($from, $to);
        });
    }

    public function mkdir($path, $mode, $options)
    {
        return !self::$asking && $this->real(function () use ($path, $mode, $options) {
            return mkdir($path, $mode, (bool) ($options & STREAM_MKDIR_RECURSIVE));
        });
    }

    public function rmdir($path, $options)
    {
        return !self::$asking && $this->real(function () use ($path) {
            return rmdir($path);
        });
    }

    public function dir_opendir($path, $options)
    {
        $names = $this->real(function () use ($path) {
            return @scandir($path);
        });
        $this->names = $names === false ? [] : $names;
        return $names !== false;
    }

    public function dir_readdir()
    {
        $name = current($this->names);
        next($this->names);
        return $name;
    }

    public function dir_rewinddir()
    {
        reset($this->names);
        return true;
    }

    public function dir_closedir()
    {
        return true;
    }
}

UnladenAsk::begin();

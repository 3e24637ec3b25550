<?php
// complete.php:
// Prints a map of the classes of extensions, skins and libraries, as autoload.php is one of the core's, for
// AutoLoader::registerClasses. Who finds them now, in what way ever, says which file each is in.

require_once getenv('MW_INSTALL_PATH') . '/maintenance/Maintenance.php';

class CompleteClassMap extends Maintenance {
    public function execute() {
        global $wgAutoloadLocalClasses, $IP;
        $composer = require "$IP/vendor/autoload.php";
        $map = [];
        foreach ([...glob("$IP/extensions/*", GLOB_ONLYDIR), "$IP/skins", "$IP/vendor"] as $folder) {
            foreach ($this->files($folder) as $file) {
                foreach ($this->classes(file_get_contents($file)) as $class) {
                    $known = AutoLoader::find($class) ?? $composer->findFile($class);
                    // A stub or a test's double of the same name is in another file than the one that is found.
                    if ($known && !isset($wgAutoloadLocalClasses[$class]) && realpath($known) === realpath($file)) {
                        $map[$class] = realpath($file);
                    }
                }
            }
        }
        ksort($map);
        $this->output("<?php\nreturn " . var_export($map, true) . ";\n");
    }

    private function files($folder) {
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS)) as $file) {
            if ($file->getExtension() === 'php') {
                yield $file->getPathname();
            }
        }
    }

    // The names of classes, interfaces, traits and enumerations that a source text declares.
    private function classes($text) {
        $names = [];
        $namespace = '';
        $tokens = array_values(array_filter(PhpToken::tokenize($text), fn ($token) => !$token->isIgnorable()));
        foreach ($tokens as $n => $token) {
            $before = $tokens[$n - 1] ?? null;
            $next = $tokens[$n + 1] ?? null;
            if ($token->is(T_NAMESPACE) && $next?->is([T_STRING, T_NAME_QUALIFIED])) {
                $namespace = $next->text . '\\';
            } elseif ($token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && $next?->is(T_STRING) && !$before?->is(T_DOUBLE_COLON)) {
                $names[] = $namespace . $next->text;
            }
        }
        return $names;
    }
}

$maintClass = CompleteClassMap::class;
require_once RUN_MAINTENANCE_IF_MAIN;

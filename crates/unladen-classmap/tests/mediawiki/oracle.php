<?php
// oracle.php ROOT [SETTINGS | all]:
// What the MediaWiki in ROOT itself says of each class: a line of JSON for each, [class, file or null], for all classes that a PHP file
// below ROOT declares and all that one of its lists names. The extensions are those that SETTINGS, its LocalSettings.php, loads, or all.
// Its own AutoLoader, ExtensionRegistry and ExtensionProcessor do the work, and the loaders are asked in the order in which PHP has them.

[, $IP, $settings] = $argv + [2 => 'all'];
error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('memory_limit', '1G');
define('MEDIAWIKI', true);
define('MW_INSTALL_PATH', $IP);
$wgAutoloadClasses = [];
require "$IP/includes/AutoLoader.php";
// Up to 1.38 it is Setup.php that does this.
require_once "$IP/vendor/autoload.php";
foreach (['Defines', 'GlobalFunctions'] as $part) {
    require "$IP/includes/$part.php";
}
$wgExtensionDirectory = "$IP/extensions";
$wgStyleDirectory = "$IP/skins";
$wgExtensionInfoMTime = false;

// Which are loaded.
if ($settings === 'all') {
    foreach (glob("$IP/extensions/*/extension.json") as $file) {
        wfLoadExtension(basename(dirname($file)));
    }
    foreach (glob("$IP/skins/*/skin.json") as $file) {
        wfLoadSkin(basename(dirname($file)));
    }
} elseif ($settings !== 'none') {
    require $settings;
}
// What ExtensionRegistry::loadFromQueue does for classes; it would also check versions, for which it needs all of MediaWiki.
$processor = new ExtensionProcessor;
$queue = array_keys(ExtensionRegistry::getInstance()->getQueue());
if (method_exists($processor, 'extractInfoFromFile')) {
    foreach ($queue as $path) {
        $processor->extractInfoFromFile($path);
    }
    $found = $processor->getExtractedAutoloadInfo();
    AutoLoader::registerNamespaces($found['namespaces']);
    AutoLoader::registerClasses($found['classes']);
    AutoLoader::loadFiles($found['files']);
} else {
    // 1.35 to 1.38
    $files = [];
    foreach ($queue as $path) {
        $info = json_decode(file_get_contents($path), true);
        ExtensionRegistry::exportAutoloadClassesAndNamespaces(dirname($path), $info);
        $files = array_merge($files, $processor->getExtraAutoloaderPaths(dirname($path), $info));
    }
    $found = ['classes' => $wgAutoloadClasses];
    foreach (array_filter($files, 'is_file') as $file) {
        require_once $file;
    }
}

/** @return string[] the names that a file declares, in lower case, as keys; their spelling as values */
function declared(string $file): array {
    static $known = [];
    return $known[$file] ??= read_declarations(@file_get_contents($file) ?: '');
}

function read_declarations(string $source): array {
    if (!preg_match('/class|interface|trait|enum/i', $source)) {
        return [];
    }
    $tokens = array_values(array_filter(PhpToken::tokenize($source), fn ($token) => !$token->isIgnorable()));
    $namespace = '';
    $names = [];
    foreach ($tokens as $at => $token) {
        $next = $tokens[$at + 1] ?? null;
        $before = $tokens[$at - 1] ?? null;
        if ($token->is(T_NAMESPACE) && $next && $next->is([T_STRING, T_NAME_QUALIFIED, '{'])) {
            $namespace = $next->is('{') ? '' : "$next->text\\";
        } elseif ($token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && $next
            // `class Match` was a class until PHP 8, and libraries keep the file.
            && $next->is([T_STRING, T_MATCH])
            && !($before && $before->is([T_DOUBLE_COLON, T_NEW]))) {
            $names[strtolower($namespace . $next->text)] = $namespace . $next->text;
        } elseif ($token->is([T_STRING, T_NAME_FULLY_QUALIFIED]) && ltrim(strtolower($token->text), '\\') === 'class_alias'
            && $next && $next->is('(')) {
            $alias = alias(array_slice($tokens, $at + 2, 40));
            if ($alias !== null) {
                $names[strtolower($alias)] = $alias;
            }
        }
    }
    return $names;
}

/** The second argument, where it is a string. */
function alias(array $tokens): ?string {
    $depth = 0;
    foreach ($tokens as $at => $token) {
        if ($token->is(['(', '['])) {
            $depth++;
        } elseif ($token->is([')', ']']) && $depth-- === 0) {
            return null;
        } elseif ($depth === 0 && $token->is(',')) {
            $value = $tokens[$at + 1] ?? null;
            $end = $tokens[$at + 2] ?? null;
            return $value && $end && $value->is(T_CONSTANT_ENCAPSED_STRING) && $end->is([')', ','])
                ? ltrim(eval("return $value->text;"), '\\') : null;
        }
    }
    return null;
}

// All names that there are to ask for.
$names = array_keys($wgAutoloadLocalClasses + $found['classes']);
foreach (spl_autoload_functions() as $loader) {
    if (is_array($loader) && $loader[0] instanceof Composer\Autoload\ClassLoader) {
        $names = array_merge($names, array_keys($loader[0]->getClassMap()));
    }
}
$folders = [realpath($IP)];
for ($seen = []; $folder = array_pop($folders);) {
    $folder = realpath($folder);
    if (isset($seen[$folder])) {
        continue;
    }
    $seen[$folder] = true;
    foreach (@scandir($folder) ?: [] as $entry) {
        if ($entry !== '.' && $entry !== '..' && is_dir("$folder/$entry")) {
            $folders[] = "$folder/$entry";
        } elseif (preg_match('/\.(php|inc)$/', $entry)) {
            array_push($names, ...array_values(declared("$folder/$entry")));
        }
    }
}

// Asks them, without the files being loaded: what is loaded once would not be asked for again.
foreach (array_unique($names) as $name) {
    $answer = null;
    foreach (spl_autoload_functions() as $loader) {
        $answer = match (true) {
            is_array($loader) && $loader[0] === 'AutoLoader' => AutoLoader::find($name),
            is_array($loader) && $loader[0] instanceof Composer\Autoload\ClassLoader => $loader[0]->findFile($name) ?: null,
            default => throw new Exception('a loader that this script does not know'),
        };
        if ($answer !== null) {
            break;
        }
    }
    $real = $answer === null ? false : realpath($answer);
    $there = $real !== false && isset(declared($real)[strtolower($name)]);
    echo json_encode([$name, $there ? $real : null], JSON_UNESCAPED_SLASHES), "\n";
}

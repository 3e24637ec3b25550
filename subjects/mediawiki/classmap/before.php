<?php
// before.php TREE:
// Takes out of TREE/autoload.php what AutoLoader finds by itself, in the folders of its namespaces: MediaWiki up to
// 1.39.4 left these classes out of its map. This is an emulation: all else stays that of the version that is installed.

[, $tree] = $argv;

// AutoLoader.php needs nothing but the map, the folders of namespaces are a constant in it, and that is all we want.
require "$tree/includes/AutoLoader.php";

// found CLASS: the file in which AutoLoader would find it without the map, or null
function found($class) {
    for ($prefix = $class; ($at = strrpos($prefix, '\\')) !== false; $prefix = rtrim($prefix, '\\')) {
        $prefix = substr($class, 0, $at + 1);
        $folder = AutoLoader::CORE_NAMESPACES[$prefix] ?? null;
        $file = $folder . strtr(substr($class, $at + 1), '\\', '/') . '.php';
        if ($folder !== null && is_file($file)) {
            return $file;
        }
    }
    return null;
}

$redundant = [];
foreach ($wgAutoloadLocalClasses as $class => $file) {
    $found = found($class);
    if ($found !== null && realpath($found) === realpath($file)) {
        $redundant["'" . addslashes($class) . "' "] = true;
    }
}
$lines = file("$tree/autoload.php");
$kept = array_filter($lines, function ($line) use ($redundant) {
    return !isset($redundant[substr(ltrim($line), 0, strpos(ltrim($line), '=>') ?: 0)]);
});
if (count($lines) - count($kept) !== count($redundant)) {
    fwrite(STDERR, "autoload.php is not written as expected\n");
    exit(1);
}
file_put_contents("$tree/autoload.php", $kept);
echo count($redundant), ' of ', count($wgAutoloadLocalClasses), " classes taken out of the map\n";

<?php
// What Composer's class map generator finds in files. Reads paths from its input, each with a NUL behind it; writes a line of JSON a file,
// in their order: a list of names in hexadecimal.
declare(strict_types=1);

require '/usr/share/php/Composer/ClassMapGenerator/autoload.php';

$paths = explode("\0", rtrim(stream_get_contents(STDIN), "\0"));
foreach ($paths as $path) {
    echo json_encode(array_map('bin2hex', Composer\ClassMapGenerator\PhpFileParser::findClasses($path))), "\n";
}

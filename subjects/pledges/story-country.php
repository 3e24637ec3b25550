<?php
// story-country.php FILE:
// For scripts/story: a country database in MaxMind's format, version 2, of the three networks that RFC 5737 keeps for documentation.

const NETWORKS = ['192.0.2' => 'GB', '198.51.100' => 'DE', '203.0.113' => 'FR'];

// The control bytes of https://maxmind.github.io/MaxMind-DB/: a kind in the upper three bits, a size in the lower five.
function text(string $text): string { return chr(2 << 5 | strlen($text)) . $text; }
function short(int $value): string { return chr(5 << 5 | 1) . chr($value); }
function long(int $value): string { return chr(6 << 5 | 4) . pack('N', $value); }

// A tree of an address's bits: each node leads to two, or to data.
$nodes = [[null, null]];
$data = '';
foreach (NETWORKS as $network => $country) {
    $bits = implode('', array_map(fn($byte) => sprintf('%08b', $byte), explode('.', $network)));
    $at = 0;
    foreach (str_split(substr($bits, 0, -1)) as $bit) {
        if ($nodes[$at][$bit] === null) {
            $nodes[] = [null, null];
            $nodes[$at][$bit] = count($nodes) - 1;
        }
        $at = $nodes[$at][$bit];
    }
    $nodes[$at][substr($bits, -1)] = ['data' => strlen($data)];
    $data .= chr(7 << 5 | 1) . text('country_code') . text($country);
}

$tree = '';
foreach ($nodes as $node) {
    foreach ($node as $end) {
        $number = match (true) {
            $end === null => count($nodes), // nothing is known
            is_array($end) => count($nodes) + 16 + $end['data'],
            default => $end,
        };
        $tree .= substr(pack('N', $number), 1);
    }
}
$about = [
    'binary_format_major_version' => short(2),
    'binary_format_minor_version' => chr(5 << 5),
    'build_epoch' => "\4\2" . pack('N', time()), // 64 bits wide, of which four bytes are said
    'database_type' => text('story'),
    'description' => chr(7 << 5 | 1) . text('en') . text('networks of RFC 5737'),
    'ip_version' => short(4),
    'languages' => "\0\4",
    'node_count' => long(count($nodes)),
    'record_size' => short(24),
];
$fields = chr(7 << 5 | count($about));
foreach ($about as $key => $value) {
    $fields .= text($key) . $value;
}
file_put_contents($argv[1], $tree . str_repeat("\0", 16) . $data . "\xab\xcd\xefMaxMind.com" . $fields);

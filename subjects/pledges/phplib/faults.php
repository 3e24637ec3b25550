<?php
// faults.php:
// Waste on purpose, that a detector can be tried on. `run fault NAME on` puts a name into CONF_FAULTS; its file in faults/
// says what it does. Without any, nothing here is loaded.

// faults_begin: those that decide about headers, before anything else is done
function faults_begin() {
    foreach (CONF_FAULTS['begin'] as $name) {
        require __DIR__ . "/faults/$name.php";
    }
}

// faults_page PLEDGE SIGNERS: those that do work for the page
function faults_page($pledge, $signers) {
    foreach (CONF_FAULTS['page'] as $name) {
        require __DIR__ . "/faults/$name.php";
    }
}

// fault_headers CHANGE: calls CHANGE when the page has set all its headers. PHP itself takes one callback only.
function fault_headers($change) {
    static $changes = [];
    if (!$changes) {
        header_register_callback(function () use (&$changes) {
            foreach ($changes as $change) {
                $change();
            }
        });
    }
    $changes[] = $change;
}

// fault_signers COUNT SIGNERS: that many, from the first again where a pledge has fewer: each page wastes as much
function fault_signers($count, $signers) {
    for ($n = 0; $n < $count; $n++) {
        yield $n => $signers[$n % max(1, count($signers))] ?? ['signed' => 0];
    }
}

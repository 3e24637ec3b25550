use super::*;

#[test]
fn includes_become_calls() {
    let cases: &[(&str, &str)] = &[
        ("<?php require_once \"$IP/a;b.php\";", "<?php unladen_include( \"$IP/a;b.php\");"),
        ("<?php include(__DIR__ . '/a') ?>require 'x';", "<?php unladen_include((__DIR__ . '/a') )?>require 'x';"),
        ("<?php if (!(include 'a')) {}", "<?php if (!(unladen_include( 'a'))) {}"),
        ("<?php // include 'a';\n$include = $a->include('x');", "<?php // include 'a';\n$include = $a->include('x');"),
        (
            "<?php AutoLoader::\n$psr4Namespaces += ['A\\\\' => 'b;'];",
            "<?php unladen_namespaces\n( ['A\\\\' => 'b;']);",
        ),
        ("<?php f( function () { require 'a'; } );", "<?php f( function () { unladen_include( 'a'); } );"),
        ("<?php requires('x'); required; ", "<?php requires('x'); required; "),
        ("<?php $wgAutoloadClasses [ 'A' ] = 'a';", "<?php unladen_old_class( 'A' , 'a');"),
        ("<?php f($wgAutoloadClasses['A'] == 'a');", "<?php f($wgAutoloadClasses['A'] == 'a');"),
        ("<?php $wgAutoloadClasses['A'", "<?php $wgAutoloadClasses['A'"),
        ("<?php if(function_exists('wfLoadSkin')) { wfLoadSkin( 'x' ); }", "<?php ; wfLoadSkin( 'x' ); }"),
    ];
    for (source, calls) in cases {
        assert_eq!(as_calls(source.as_bytes()).as_bstr(), calls, "{source}");
    }
}

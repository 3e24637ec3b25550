use bstr::ByteSlice;

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

proptest::proptest! {
    /// Whatever is in the file, lines stay where they are, and what is no form stays as it is.
    #[test]
    fn no_line_moves(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let source = format!("<?php {}", pieces.concat());
        let calls = as_calls(source.as_bytes());
        proptest::prop_assert_eq!(calls.find_iter(b"\n").count(), source.matches('\n').count());
        let folded = source.to_ascii_lowercase();
        if ["include", "require", "auto", "if"].iter().all(|form| !folded.contains(form)) {
            proptest::prop_assert_eq!(calls.as_bstr(), source.as_bytes().as_bstr());
        }
    }
}

const PIECES: &[&str] = &[
    "<?php ",
    "?>",
    "include",
    " require_once ",
    "AutoLoader",
    "::",
    "\n",
    "$psr4Namespaces",
    " += ",
    "registerClasses",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    "'",
    "\"",
    "`",
    "<<<A\n",
    "A\n",
    "//",
    "/*",
    "*/",
    "#",
    "\\",
    "$wgAutoloadClasses",
    "$wgAutoloadClasses\n[",
    "'k'\n]\n=",
    "=",
    "if",
    "function_exists",
    "'wfLoadSkin'",
    "x",
    "é",
    "->",
    "$",
    ",",
];

#[test]
fn what_settings_define_is_read_with_what_they_include() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("more.php"), "<?php define('B', '/b/'); define('C', $x);").unwrap();
    let source = "<?php\nif (!defined('A')) define('A', ROOT . 'a//');\nif ($y) include(__DIR__ . '/more.php');\n";
    std::fs::write(root.join("one.php"), source).unwrap();
    let mut settings = Settings::default();
    settings.read(&root.join("one.php"), &[("ROOT", b"/it's/")], &["A", "B", "C", "D"]);
    assert_eq!(settings.problems, []);
    assert_eq!(settings.values("A"), Some(vec!["/it's/a".into()]));
    assert_eq!(settings.values("B"), Some(vec!["/b".into()]));
    assert_eq!((settings.values("C"), settings.values("D")), (None, Some(Vec::new())));
    assert_eq!(settings.inputs, [root.join("one.php"), root.join("more.php")]);
}

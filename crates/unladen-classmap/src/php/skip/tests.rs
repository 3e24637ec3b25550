use super::*;

/// What is left after the thing at the start, or nothing if it does not end.
fn rest(skip: impl Fn(&[u8], usize) -> Option<usize>, source: &str) -> Option<&str> {
    skip(source.as_bytes(), 0).map(|after| &source[after..])
}

#[test]
fn opening_tags() {
    for (source, after) in [
        ("<p><?php class", Some(" class")),
        ("<?PhP\nx", Some("\nx")),
        ("<?php", Some("")),
        ("<?=1", Some("1")),
        ("<? x", Some(" x")),
        ("<<?php x", Some(" x")),
        ("<?xml version='1.0'?><?php y", Some(" y")),
        ("<?phpx <?= y", Some(" y")),
        ("<?php-x", None),
        ("<?", None),
        ("<", None),
        ("", None),
        ("text", None),
    ] {
        assert_eq!(rest(html, source), after, "{source}");
    }
}

#[test]
fn strings() {
    for (source, after) in [
        ("''x", Some("x")),
        (r"'\''x", Some("x")),
        (r"'\\'x", Some("x")),
        (r"'\a{$'x", Some("x")),
        ("'a", None),
        (r"'\", None),
        (r"'\'", None),
        ("'", None),
    ] {
        assert_eq!(rest(single_quoted, source), after, "{source}");
    }
    for (source, after) in [
        (r#"""x"#, Some("x")),
        (r#""\"'"x"#, Some("x")),
        (r#""$a[b] $c->d {e} $ { $"x"#, Some("x")),
        (r#""{$a["x"]}"x"#, Some("x")),
        (r#""${a["x"]}"x"#, Some("x")),
        (r#""\{$a["x"#, Some("x")),
        (r#""\${a["x"#, Some("x")),
        (r#""\\{$a["]"]}"x"#, Some("x")),
        (r#""{$f(function () { return "}" . '}"' /* }" */; })}"x"#, Some("x")),
        ("\"{$a[<<<B\n}\"\n  B]}\"x", Some("x")),
        ("\"{$a[// }\"\n1]}\"x", Some("x")),
        ("\"{$f(function () { ?> }\" ' <?php })}\"x", Some("x")),
        (r#""{$a["{$b["c"]}"]}"x"#, Some("x")),
        (r#""{$a"}"#, None),
        (r#""{$a["#, None),
        (r#""\""#, None),
        (r#"""#, None),
        (r#""\"#, None),
    ] {
        assert_eq!(rest(double_quoted, source), after, "{source}");
    }
    assert_eq!(rest(backtick, r#"`ls "'{$a[`b`]}\``x"#), Some("x"));
}

#[test]
fn heredocs() {
    for (source, after) in [
        ("<<<A\nA;", Some(";")),
        ("<<<A\nAB\nA1\n A\nx", Some("\nx")),
        ("<<< \t\"A\"\r\n'\"\r\n\t A]", Some("]")),
        ("<<<'A'\n{$a[\n\\\nA.", Some(".")),
        ("<<<A\n{$a[\"\nA\n\"]}\nA.", Some(".")),
        ("<<<A\n{$a}A\nA.", Some(".")),
        ("<<<A\n\\{$a\nA.", Some(".")),
        ("<<<A\nb\\\nA.", Some(".")),
        ("<<<A\rb\rA.", Some(".")),
        ("<<<A\n{$a[<<<A\nA]}\nA", Some("")),
        ("<<<A\nb A\nA_", None),
        ("<<<A\n", None),
        ("<<<A", None),
        ("<<<'A\nA", None),
        ("<<<1\n1", None),
        ("<<<", None),
        ("<< <A\nA", None),
    ] {
        assert_eq!(rest(heredoc, source), after, "{source}");
    }
}

#[test]
fn comments() {
    for (source, after) in [
        ("// a ? b\nx", Some("\nx")),
        ("# a\rx", Some("\rx")),
        ("// a ?> x", Some("?> x")),
        ("//", Some("")),
        ("/**/x", Some("x")),
        ("/*/*/x", Some("x")),
        ("/* a/b\n * c\n */x", Some("x")),
        ("/*/", None),
        ("/*", None),
    ] {
        assert_eq!(rest(comment, source), after, "{source}");
    }
    assert_eq!(rest(blank, " /* a */\r\n# b\n\t//c\n#[x"), Some("#[x"));
    assert_eq!(rest(blank, "/x"), Some("/x"));
    assert_eq!(rest(blank, " // x"), Some(""));
    assert_eq!(rest(blank, " /* x"), None);
}

#[test]
fn labels() {
    let rest = |source| rest(|source, at| Some(label(source, at)), source);
    assert_eq!(rest("aB_9\u{80}\\x"), Some("\\x"));
    assert_eq!(rest("9a"), Some("9a"));
    assert_eq!(rest(""), Some(""));
}

#[test]
fn deep_nesting_needs_no_stack() {
    let source = r#""{$a["#.repeat(200_000);
    assert_eq!(double_quoted(source.as_bytes(), 0), None);
}

#[test]
fn offsets_behind_the_end_are_the_end() {
    assert_eq!(html(b"a", 9), None);
    assert_eq!(single_quoted(b"a", 9), None);
    assert_eq!(double_quoted(b"a", 9), None);
    assert_eq!(heredoc(b"a", 9), None);
    assert_eq!(block_comment(b"a", 9), None);
    assert_eq!(line_comment(b"a", 9), 1);
    assert_eq!(blank(b"a", 9), Some(9));
    assert_eq!(label(b"a", 9), 9);
}

//! Constant expressions, side by side with PHP.
#![allow(clippy::expect_used, reason = "a test that cannot be set up fails")]

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;
use unladen_classmap::php::constant::{Value, returned};

/// Files of PHP in which values are given and returned, as code generators and people write them.
fn files() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        r"'([a-c \\/$\n]|\\\\|\\'|é)*'".prop_filter("ends", |text| !ends_early(text)),
        r#""([a-c /']|\\[nrtvef\\$"0-7x]|\\x[0-9a-fA-F]{1,3}|\\u\{[0-9a-f]{1,4}\}|\$ |\{|\$a|\{\$b\}|\$\{a\}|é)*""#,
        r"<<<X\n(([a-c]|\\t|\\\\|\$a |')*\n){0,2}X",
        r"<<<'X Y'\n[a-c$\\]*\nX Y".prop_map(|text| text.replace("X Y", "XY")),
    ];
    let leaf = prop_oneof![
        4 => string,
        2 => select(&["0", "7", "-12", "1_000", "0x1F", "017", "0b11", "true", "FALSE", "null", "__DIR__", "__FILE__", "__LINE__"][..])
            .prop_map(str::to_owned),
        1 => select(&["A\\B::class", "\\C\\D::class", "Alias::class", "Alias\\E::class", "namespace\\F::class", "$a", "$b", "FOUR", "$gone"][..])
            .prop_map(str::to_owned),
    ];
    let key = leaf.clone();
    let expression = leaf.prop_recursive(4, 40, 6, move |inner| {
        let element = prop_oneof![
            inner.clone(),
            // PHP refuses files in which an array is a key.
            (key.clone(), inner.clone()).prop_map(|(key, value)| format!("{key} => {value}")),
        ];
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} . {other}")),
            inner.clone().prop_map(|value| format!("( {value} )")),
            (inner, 1..4).prop_map(|(path, levels)| format!("\\dirname({path}, {levels})")),
            proptest::collection::vec(element.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            proptest::collection::vec(element, 0..4)
                .prop_map(|all| format!("array( {}, )", all.join(" ,\n# ?\n")).replace("( ,", "(")),
        ]
    });
    (expression.clone(), expression.clone(), expression).prop_map(|(first, second, last)| {
        format!("<?php\nnamespace Name;\nuse Other\\Whole as Alias;\nconst FOUR = 4;\n$a = {first};\n$b = {second};\nreturn [$a, $b, {last}];\n")
    })
}

/// Whether a string between single quotes ends before its end.
fn ends_early(text: &str) -> bool {
    let inner = &text[1..text.len() - 1];
    inner.replace("\\\\", "").replace("\\'", "").ends_with('\\')
}

/// Values as the PHP code below writes them.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => format!("s{}", text.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        Value::Int(number) => format!("i{number}"),
        Value::Bool(truth) => format!("b{}", u8::from(*truth)),
        Value::Null => "n".to_owned(),
        Value::Array(elements) => {
            let elements: Vec<String> =
                elements.iter().map(|(key, value)| format!("{}:{}", written(key), written(value))).collect();
            format!("[{}]", elements.join(","))
        }
    }
}

const WRITER: &str = r#"
    function w($v) {
        if (is_string($v)) return 's' . bin2hex($v);
        if (is_int($v)) return 'i' . $v;
        if (is_bool($v)) return 'b' . (int)$v;
        if ($v === null) return 'n';
        if (!is_array($v)) return 'other';
        $all = [];
        foreach ($v as $key => $value) $all[] = w($key) . ':' . w($value);
        return '[' . implode(',', $all) . ']';
    }
    set_error_handler(function ($level, $what) {
        // Each of the files declares the same constant.
        if ($level !== E_DEPRECATED && !str_ends_with($what, 'already defined')) throw new Exception($what);
        return true;
    });
    for ($i = 0; is_file("$argv[1]/$i.php"); $i++) {
        try { echo w((function ($file) { return require $file; })("$argv[1]/$i.php")), "\n"; }
        catch (Throwable $e) { echo "error\n"; }
    }
"#;

/// What PHP says of the files.
fn php(folder: &Path) -> Vec<String> {
    let output = Command::new("php").args(["-n", "-r", WRITER]).arg(folder).output();
    let output = output.expect("php is needed: apt-get install php-cli");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_php(files in proptest::collection::vec(files(), 1..120)) {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a folder");
        let mut ours = Vec::new();
        for (at, file) in files.iter().enumerate() {
            let path = folder.join(format!("{at}.php"));
            std::fs::write(&path, file).expect("a file");
            ours.push(returned(file.as_bytes(), &path).map_err(|problem| problem.to_string()));
        }
        let theirs = php(&folder);
        prop_assert_eq!(theirs.len(), files.len());
        for ((file, ours), theirs) in files.iter().zip(ours).zip(theirs) {
            let said = ours.as_ref().map_or_else(|_| "error".to_owned(), written);
            prop_assert_eq!(&said, &theirs, "{}\n{:?}", file, ours);
        }
    }
}

//! Files made by chance.

use proptest::prelude::*;

use crate::php::Kind;
use crate::php::scan;

/// A piece of a file, and what it declares: kind and name.
type Piece = (String, Option<(Kind, String)>);

fn blank() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            " ",
            "\n",
            "\t",
            "\r\n",
            "/* class Fake {} ' */",
            "// trait Fake \"\n",
            "# enum Fake <<<A\n",
        ]),
        1..4,
    )
    .prop_map(|parts| format!(" {} ", parts.concat()))
}

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z_é][A-Za-z0-9_ü]{0,6}".prop_map(|name| format!("N{name}"))
}

fn declaration() -> impl Strategy<Value = Piece> {
    let modifiers =
        prop::sample::select(vec!["", "final ", "abstract readonly ", "#[A(class: B::class)]", "if (1) {} "]);
    let keyword = prop::sample::select(vec![
        ("class", Kind::Class),
        ("Class", Kind::Class),
        ("interface", Kind::Interface),
        ("TRAIT", Kind::Trait),
        ("enum", Kind::Enum),
    ]);
    (modifiers, keyword, blank(), name(), blank()).prop_map(|(modifiers, (keyword, kind), before, name, behind)| {
        (format!(" {modifiers}{keyword}{before}{name}{behind}{{ }}\n"), Some((kind, name)))
    })
}

fn alias() -> impl Strategy<Value = Piece> {
    let call = prop::sample::select(vec!["class_alias", "\\class_alias", "CLASS_ALIAS"]);
    let alias = prop::sample::select(vec!["'@'", "\"@\"", "\\@::class", "'' . '@'", "'\\\\@'"]);
    (call, blank(), alias, blank(), name()).prop_map(|(call, before, alias, behind, name)| {
        (
            format!(";{call}{before}(A::class, {before}{}{behind});", alias.replace('@', &name)),
            Some((Kind::Alias, name)),
        )
    })
}

fn noise() -> impl Strategy<Value = Piece> {
    let part = prop::sample::select(vec![
        "'class Fake {} \\' \\\\'",
        "\"class Fake {} \\\" {$a[\"class Fake\"]} $b[c] ${d['}']} \\{$e\"",
        "`class Fake`",
        "<<<A\nclass Fake {} $a {$b['A']}\n A B\nA\n",
        "<<< 'A'\nclass Fake ' \" \\\n  A",
        "\"{$f(function () { return \"}\" . '}' /* } */; })}\"",
        "A::class",
        "$class",
        "$a->enum and $a?->trait or A::interface",
        "new class { }",
        "new class(1) extends B { }",
        "($a < $b ? $c / 2 : $d <=> 1)",
        "[1 => 2, 'x' => fn($x) => $x]",
        "1 ?>\n<p class=\"x\"> class Fake {} ' <b> <?php 1",
        "1 // class Fake ?> it's <?= 2",
        "f(class: 1)",
        "enum",
        "namespace\\f(1)",
        "$a->class_alias('A', 'Fake')",
        "class_alias('A', $fake)",
        "b'x' . 1",
    ]);
    (part, blank()).prop_map(|(part, blank)| (format!(";{blank}{part};"), None))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_declared_is_found_and_nothing_else(
        pieces in prop::collection::vec(prop_oneof![declaration(), alias(), noise(), noise(), noise()], 0..24),
        namespace in prop::option::of(name()),
    ) {
        let mut source = "<html class Fake {}><?php ".to_owned();
        let mut prefix = String::new();
        if let Some(namespace) = namespace {
            source += &format!(" namespace {namespace};");
            prefix = format!("{namespace}\\");
        }
        let mut expected = Vec::new();
        for (text, declared) in &pieces {
            source += text;
            if let Some((kind, name)) = declared {
                let prefix = if *kind == Kind::Alias { "" } else { &prefix };
                expected.push((*kind, format!("{prefix}{name}")));
            }
        }
        let scan = scan(source.as_bytes());
        prop_assert_eq!(scan.broken, None, "{}", source);
        let found: Vec<_> = scan.declarations.iter().map(|found| (found.kind, found.name.to_string())).collect();
        prop_assert_eq!(found, expected, "{}", source);
        let lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        prop_assert!(scan.declarations.is_sorted_by_key(|found| found.line));
        prop_assert!(scan.declarations.iter().all(|found| (1..=lines).contains(&found.line)));
    }

    #[test]
    fn bytes_of_any_kind_come_to_an_end(source in prop::collection::vec(any::<u8>(), 0..200)) {
        ends(&source)?;
    }

    #[test]
    fn pieces_of_php_come_to_an_end(parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..40)) {
        ends(format!("<?php {}", parts.concat()).as_bytes())?;
    }
}

const PARTS: &[&str] = &[
    "class ",
    "class_alias",
    "enum",
    " ",
    "\n",
    "\r",
    "A",
    "N\\B",
    "\\",
    "'",
    "\"",
    "`",
    "<<<A\n",
    "<<<'A'\n",
    "\nA",
    "{$",
    "${",
    "{",
    "}",
    "(",
    ")",
    ",",
    ";",
    "//",
    "#",
    "#[",
    "/*",
    "*/",
    "?>",
    "<?php ",
    "<?=",
    "<?",
    "namespace ",
    "use ",
    "const ",
    "define",
    "=",
    "::",
    "->",
    "class",
    "as ",
    "é",
    "$",
    "[",
    "]",
    "__halt_compiler",
    "();",
    "1",
    ".",
    "trait ",
    "interface/**/",
    ":",
    "function ",
];

fn ends(source: &[u8]) -> Result<(), TestCaseError> {
    let scan = scan(source);
    let lines = source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    let within = |line: u32| line >= 1 && usize::try_from(line).is_ok_and(|line| line <= lines);
    prop_assert!(scan.declarations.iter().all(|found| !found.name.is_empty() && within(found.line)));
    prop_assert!(scan.broken.is_none_or(|(line, _)| within(line)));
    Ok(())
}

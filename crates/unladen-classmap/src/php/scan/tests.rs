use super::*;
use crate::php::Kind::{self, Alias, Class, Enum, Interface, Trait};

mod generated;

#[track_caller]
fn check(source: &str, expected: &[(Kind, &str)]) {
    let scan = scan(source.as_bytes());
    let found: Vec<_> = scan.declarations.iter().map(|found| (found.kind, found.name.to_string())).collect();
    let expected: Vec<_> = expected.iter().map(|&(kind, name)| (kind, name.to_owned())).collect();
    assert_eq!(found, expected, "{source}");
    assert_eq!(scan.broken, None, "{source}");
}

/// Nothing is declared.
#[track_caller]
fn nothing(sources: &[&str]) {
    for source in sources {
        check(&format!("<?php {source}"), &[]);
    }
}

#[test]
fn all_kinds_in_any_case_and_behind_any_modifiers() {
    check(
        "<?php class A {} interface B {} trait C {} enum D {}",
        &[(Class, "A"), (Interface, "B"), (Trait, "C"), (Enum, "D")],
    );
    check(
        "<?php CLASS Foo{} Interface b{} tRAIT C{} ENUM D:int{}",
        &[(Class, "Foo"), (Interface, "b"), (Trait, "C"), (Enum, "D")],
    );
    check(
        "<?php final abstract readonly class A{} READONLY final class B{} abstract\nclass\tC{}",
        &[(Class, "A"), (Class, "B"), (Class, "C")],
    );
    check("<?php enum A: string {} enum B:int{} enum\nC implements D {}", &[(Enum, "A"), (Enum, "B"), (Enum, "C")]);
    check("<?PHP class A{}", &[(Class, "A")]);
    check("<?php\r\nclass A{}", &[(Class, "A")]);
}

#[test]
fn comments_and_lines_between_keyword_and_name() {
    check(
        "<?php class /* x */ A {} class// class B\nC {} class # class D\r\n\n E {}",
        &[(Class, "A"), (Class, "C"), (Class, "E")],
    );
    check("<?php enum /* x */ A {} trait/**/B{}", &[(Enum, "A"), (Trait, "B")]);
}

#[test]
fn names_of_soft_keywords_and_any_bytes() {
    check(
        "<?php class Enum {} class From {} class enum extends A {} interface Readonly2 {}",
        &[(Class, "Enum"), (Class, "From"), (Class, "enum"), (Interface, "Readonly2")],
    );
    check("<?php class Ünïcode {} class Äs {}", &[(Class, "Ünïcode"), (Class, "Äs")]);
    let latin1 = scan(b"<?php namespace \xe4; class \xe4\xff9_ {}");
    assert_eq!(latin1.declarations[0].name, b"\xe4\\\xe4\xff9_");
    // PHP's own scanner takes the beginning for the word.
    nothing(&["enum extendsA {}", "enum extends {}", "enum implementsB {}"]);
    check("<?php enum asA {} enum Extend {}", &[(Enum, "asA"), (Enum, "Extend")]);
}

#[test]
fn keywords_that_declare_nothing() {
    nothing(&[
        "Foo::class; $a->class; $a?->class; $class; $enum = 1; Foo::CLASS and 1;",
        "A::class instanceof B; A:: class or 1; A\n::\n// class X\nclass /* */ xor 1; $a->/* */ class and 1; $a-> trait or 1;",
        "new class {}; new class(1) extends A {}; new class extends A {}; new class implements B {};",
        "new #[A(class: B::class)] readonly class(1) extends X {}; new readonly class extends X {}; new final class { };",
        "function class_() {} function enum() {} function trait_x() {} enum();",
        "const ENUM = 1; echo ENUM; const Enum = 1; const A = 'class B';",
        "f(class: 1, interface: 2, trait: X); f(class : A);",
        "match (true) { A::class => 1, default => enum };",
        "goto enum; enum: echo 1;",
        "use function a\\class\\b; use a\\Enum; use Enum as B; use A\\{Enum as B, C\\Trait};",
        "function f(enum $a, ?Enum $b, enum|int $c): enum {}",
        "#[Enum] #[A(B::class, interface: C)] function f() {}",
        "$a['class foo']; $$class; ${'class'}; $a->{'class B'};",
        "\\class A; class\\A B; A\\class B; namespace\\class A;",
        "1 ? A::class : B::class; $a ?? A::class; $a <=> B::class; $a << B::class;",
        "classes A; subclass B; _class C; class_ D; interfaces E; traitor F; enumerate G;",
        "class",
        "class ",
        "class /*x*/",
        "class 9A {}",
        "enum",
        "namespace",
        "namespace A",
        "__halt_compiler",
    ]);
    check(
        "<?php class A { use T { enum as foo; trait as private bar; class as baz; T::interface insteadof U; } case Enum; case Trait = 1; const Interface = 2; }",
        &[(Class, "A")],
    );
    check("<?php class A { public enum $a; function enum() {} function class() {} }", &[(Class, "A")]);
}

#[test]
fn what_may_not_be_looked_into() {
    for fake in [
        "'class Fake {}'",
        r"'\' class Fake {}'",
        "\"class Fake {} \\\" class Fake2\"",
        "\"{$a[\"class Fake {}\"]} class Fake {}\"",
        "\"${a[\"class Fake\"]} class Fake\"",
        "`class Fake {}`",
        "b'class Fake {}'",
        "<<<A\nclass Fake {}\n' \" A\n  A",
        "<<<\"A\"\nclass Fake {}\n{$a[<<<B\nclass Fake\nB]}\nclass Fake\nA",
        "<<<'A'\nclass Fake {} {$\nA",
        "[1, <<<A\n  class Fake\n  A, 'class Fake']",
        "1 // class Fake {}\n",
        "1 # class Fake {}\n",
        "1 /* class Fake {} ' */",
        "1 /** class Fake {} \" **/",
        "1 ?> class Fake { } <?php 1",
        "1 // ?> class Fake ' <?php 1",
        "1 # ?> class Fake {} <?= 1",
        "1 ?>\n<? class\nFake ?> <?xml class Fake ?> <?php 1",
    ] {
        let source = format!("<p> class Fake {{}} </p><?php class A {{}} $a = {fake}; class B {{}} ?> class Fake {{}}");
        let (names, broken) = {
            let scan = scan(source.as_bytes());
            (scan.declarations.into_iter().map(|found| found.name.to_string()).collect::<Vec<_>>(), scan.broken)
        };
        // The only one of them that is PHP.
        let names: Vec<_> = names.into_iter().filter(|name| !(fake.contains("<? class") && name == "Fake")).collect();
        assert_eq!((names.as_slice(), broken), (&["A".to_owned(), "B".to_owned()][..], None), "{source}");
    }
    check("class Fake {}", &[]);
    check("<?php 1 ?> class Fake {} <?php class A {} ?>", &[(Class, "A")]);
    check("<?php #[A] class B {} #[A(1), C('class D')]\nfinal class E {}", &[(Class, "B"), (Class, "E")]);
    check("<?xml class Fake ?><?php class A {}", &[(Class, "A")]);
    check("<?= 1; class A {}", &[(Class, "A")]);
    check("<? class A {}", &[(Class, "A")]);
}

#[test]
fn code_within_strings_declares_too() {
    check(
        "<?php \"{$f(function () { class A {} ?> class Fake <?php enum B {} })} class Fake\"; class C {}",
        &[(Class, "A"), (Enum, "B"), (Class, "C")],
    );
    check(
        "<?php <<<X\n{$f(function () { \"{$g(fn() => new class { function x() { class A {} } })}\"; })}\nclass Fake\nX; class B {}",
        &[(Class, "A"), (Class, "B")],
    );
}

#[test]
fn declarations_behind_conditions_and_in_functions() {
    check(
        "<?php if (!class_exists('A')) { class A {} } else { class B {} } function f() { class C {} } if (1): class D {} endif;",
        &[(Class, "A"), (Class, "B"), (Class, "C"), (Class, "D")],
    );
}

#[test]
fn namespaces() {
    check(r"<?php namespace A\B; class C {} namespace D; class E {}", &[(Class, r"A\B\C"), (Class, r"D\E")]);
    check(
        r"<?php namespace A { class B {} } namespace { class C {} } namespace D\E{class F{}}",
        &[(Class, r"A\B"), (Class, "C"), (Class, r"D\E\F")],
    );
    check("<?php namespace /* x */ A \\ // y\n B ; class C {}", &[(Class, r"A\B\C")]);
    check("<?php NAMESPACE\nA\n?> class Fake <?php class B {}", &[(Class, r"A\B")]);
    check(
        r"<?php namespace A; namespace\foo(); namespace \ foo(); class B {} X::NAMESPACE; $a->namespace; f(namespace: 1); class C {}",
        &[(Class, r"A\B"), (Class, r"A\C")],
    );
    check(r"<?php namespace A\Class\Enum; class B {}", &[(Class, r"A\Class\Enum\B")]);
    check(r"<?php namespace Enum; class B {}", &[(Class, r"Enum\B")]);
    check(
        "<?php declare(strict_types=1);\n// namespace Fake;\nnamespace A; $x = 'namespace Fake;'; class B {}",
        &[(Class, r"A\B")],
    );
    check(
        "<?php namespace A; class B { use T { namespace as foo; } const NAMESPACE = 1; } class C {}",
        &[(Class, r"A\B"), (Class, r"A\C")],
    );
}

#[test]
fn data_behind_the_end() {
    check("<?php class_alias(1, A::class); __halt_compiler(); class_alias(1, B::class);", &[(Alias, "A")]);
    check("<?php class A {} __halt_compiler(); class Fake {} ' <?php class Fake {}", &[(Class, "A")]);
    check("<?php class A {} __HALT_COMPILER /**/ ( ) // x\n ; class Fake {}", &[(Class, "A")]);
    check("<?php class A {} __halt_compiler() ?> <?php class Fake {}", &[(Class, "A")]);
    check("<?php '__halt_compiler();'; /* __halt_compiler(); */ class A {}", &[(Class, "A")]);
    check("<?php $a->__halt_compiler(); $__halt_compiler(); \\__halt_compiler(); class A {}", &[(Class, "A")]);
}

#[test]
fn aliases_that_are_written_out() {
    check(
        r#"<?php class_alias('A', 'B'); \class_alias("A", 'B\\C', true); CLASS_ALIAS(A::class, '\D\E'); class_alias( f(1, [2, ',']) , "F" , );"#,
        &[(Alias, "B"), (Alias, r"B\C"), (Alias, r"D\E"), (Alias, "F")],
    );
    check("<?php namespace N; class_alias /* x */ ( A::class /* , 'X' */, // y\n 'B' );", &[(Alias, "B")]);
    check(r#"<?php class_alias($a, "B\\C"); class_alias("A", "B\x43");"#, &[(Alias, r"B\C"), (Alias, "BC")]);
    check(
        "<?php class_alias(alias: 'B', class: 'A'); class_alias('A', alias: 'C'); class_alias(class: 'A', alias: 'D');",
        &[(Alias, "B"), (Alias, "C"), (Alias, "D")],
    );
    nothing(&[
        "class_alias('A', $b); class_alias('A', 'B' . $c); class_alias('A', f()); class_alias('A', $a ? 'B' : 'C');",
        "class_alias('A'); class_alias(...); class_alias(...$a); class_alias(; class_alias",
        "$a->class_alias('A', 'B'); $a?->class_alias('A', 'B'); A::class_alias('A', 'B'); $class_alias('A', 'B');",
        "function class_alias($a, $b = 'B') {} function &class_alias($a, $b = 'B') {} new class_alias(1, 'B'); new \\class_alias(1, 'B');",
        r"A\class_alias('A', 'B'); namespace\class_alias('A', 'B'); use function class_alias;",
        "'class_alias(1, \"B\")'; // class_alias('A', 'B');\n",
        "class_alias('A', ''); class_alias('A', 'B C'); class_alias('A', '9');  class_alias('A', 'B\\\\\\\\C');",
        "class_alias('A', \"$b\"); class_alias('A', \"B{$c}\"); class_alias('A', self::class); class_alias('A', B);",
    ]);
}

#[test]
fn aliases_that_hang_on_the_rest_of_the_file() {
    check(r"<?php class_alias('A', B::class); class_alias('A', \C\D::class);", &[(Alias, "B"), (Alias, r"C\D")]);
    check(
        r"<?php namespace N; class_alias(A::class, B::class); class_alias(A::class, namespace\C\D::class); class_alias(A::class, E\F::CLASS);",
        &[(Alias, r"N\B"), (Alias, r"N\C\D"), (Alias, r"N\E\F")],
    );
    check(
        r"<?php namespace N; use X\Y; use X\Z as W, V\U; use P\{Q, R\S as T, function f, const G}; use function A\B; class_alias(A::class, Y::class); class_alias(A::class, w\K::class); class_alias(A::class, u::class); class_alias(1, Q::class); class_alias(1, T::class); class_alias(1, B::class); class_alias(1, G::class);",
        &[
            (Alias, r"X\Y"),
            (Alias, r"X\Z\K"),
            (Alias, r"V\U"),
            (Alias, r"P\Q"),
            (Alias, r"P\R\S"),
            (Alias, r"N\B"),
            (Alias, r"N\G"),
        ],
    );
    check(r"<?php namespace A { use X\Y; } namespace B { class_alias(1, Y::class); }", &[(Alias, r"B\Y")]);
    check(
        "<?php namespace A\\B; class_alias(1, __NAMESPACE__ . '\\\\C'); class_alias(1, __namespace__ . '\\D' . 'E' /* x */, false);\n class C {}",
        &[(Alias, r"A\B\C"), (Alias, r"A\B\DE"), (Class, r"A\B\C")],
    );
    check(
        "<?php const B = 'X\\Y', C = 'Z'; define('D', 'W'); class_alias(1, B); class_alias(1, \\C); class_alias(1, D);",
        &[(Alias, r"X\Y"), (Alias, "Z"), (Alias, "W")],
    );
    check(
        "<?php namespace N; const B = 'X'; \\define('C', 'Y'); define('N\\D', __NAMESPACE__ . '\\Z'); class_alias(1, B); class_alias(1, C); class_alias(1, D); class_alias(1, namespace\\B); class_alias(1, \\N\\D);",
        &[(Alias, "X"), (Alias, "Y"), (Alias, r"N\Z"), (Alias, "X"), (Alias, r"N\Z")],
    );
    check(
        "<?php use const N\\B; use const N\\B as C; define('N\\B', 'X'); class_alias(1, B); class_alias(1, C);",
        &[(Alias, "X"), (Alias, "X")],
    );
    nothing(&[
        "function f() { class_alias(1, B); } define('B', 'X'); define('B', 'Y'); class_alias(1, B);",
        "if (1) { define('B', 'X'); } class_alias(1, B); class_alias(1, (string) 'B'); class_alias(1, ['B']);",
    ]);
    check(
        "<?php class A { const B = 'X'; use C; } class_alias(1, B); class_alias(1, C::class);",
        &[(Class, "A"), (Alias, "C")],
    );
}

#[test]
fn nothing_is_read_over_and_over() {
    for (start, piece) in [
        ("<?php ", "class_alias("),
        ("<?php ", "class_alias(1,"),
        ("<?php class_alias(", "class_alias(A,A::class),"),
        ("<?php ", "namespace \\ "),
        ("<?php ", "namespace A \\ "),
        ("<?php class A {} ", "clarfaaitesp"),
        ("<?php ", "class/**/"),
        ("<?php ", "enum "),
        ("<?php ", "// x\n"),
        ("<?php class A {} ", "\"{$a["),
        ("<?php class A {} ", "<<<A\n{$a["),
        ("<?php class A {} ", "<"),
        ("<?php class A {} ", "?>"),
        ("<?php class A {} <<<A\n", " "),
    ] {
        // Each would take many minutes if all of it were read for each piece.
        scan((start.to_owned() + &piece.repeat(500_000 / piece.len())).as_bytes());
    }
}

#[test]
fn lines_are_those_of_the_keyword() {
    let lines = |source: &str| scan(source.as_bytes()).declarations.iter().map(|found| found.line).collect::<Vec<_>>();
    assert_eq!(lines("<?php class A {}"), [1]);
    assert_eq!(lines("<p>\n<?php\n\n/*\n*/ final\nclass\nA {}\r\n\rclass B {} class C {}"), [6, 9, 9]);
    assert_eq!(lines("<?php\nclass_alias(\n'A',\n'B');\nclass_alias(1,\nC::class);\nclass D {}"), [2, 5, 7]);
    assert_eq!(lines("<?php\n\"\n{$f(function () {\nclass A {} })}\n\";\nclass B {}"), [4, 6]);
}

#[test]
fn what_does_not_end_is_told_with_its_line() {
    for (source, line, what) in [
        ("<?php class A {}\n'", 2, "an unterminated string"),
        ("<?php class A {}\n\n\"{$a", 3, "an unterminated string"),
        ("<?php class A {}\n`", 2, "an unterminated string"),
        ("<?php class A {}\n<<<B\n", 2, "an unterminated heredoc"),
        ("<?php class A {}\n<<<'B'\n B_C", 2, "an unterminated heredoc"),
        ("<?php class A {}\n/* class B {}", 2, "an unterminated comment"),
        ("<?php \n\"{$f(function() {\nclass A {} } '", 3, "an unterminated string"),
        ("<?php \n\"{$f(function() {\nclass A {} } ", 2, "an unterminated string"),
        ("<?php \n<<<X\n{$f(function() {\nclass A {} ?> ", 2, "an unterminated heredoc"),
    ] {
        let scan = scan(source.as_bytes());
        assert_eq!(scan.broken, Some((line, what)), "{source}");
        assert_eq!(scan.declarations.len(), 1, "{source}");
    }
}

use super::*;

#[test]
fn a_file_that_does_something_as_it_is_loaded_is_told_from_one_that_declares() {
    for quiet in [
        "<?php class A {}",
        "<?php\n/* x */ declare(strict_types=1); namespace A; use B\\C; use function d;\n#[E([1])] final class A { function f() { if (1) {} } }\n",
        "<?php namespace A { abstract class B {} interface C {} }\n",
        "<?php class A { const T = 'a ?> b'; } ?>\n",
    ] {
        assert!(only_declares(quiet.as_bytes()), "{quiet}");
    }
    for busy in [
        "<?php class A {} A::init();",
        "<?php require 'b.php'; class A {}",
        "<?php define('X', 1); class A {}",
        "<?php function f() {} class A {}",
        "<?php if (!class_exists('A')) { class A {} }",
        "<?php class A {} ?> text",
        "<?php class A {} ?> it's } text",
        "<?php class A {} ?> <?php f();",
        "text <?php class A {}",
        "<?php class A {",
        "<?php echo 1;",
        "<?php",
        "",
    ] {
        assert!(!only_declares(busy.as_bytes()), "{busy}");
    }
}

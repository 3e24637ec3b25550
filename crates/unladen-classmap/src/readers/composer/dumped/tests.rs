use super::*;

#[test]
fn what_composer_writes_is_understood() {
    let source = b"<?php class X { static function getLoader() {\n\
        spl_autoload_register(array('X', 'loadClassLoader'), true, false);\n\
        require __DIR__ . '/autoload_static.php';\n\
        $loader->setClassMapAuthoritative(true);\n$loader->setApcuPrefix('x');\n// $loader->setUseIncludePath(true);\n\
        $loader->register(true); } }";
    let expected = Flags { is_static: true, authoritative: true, prepends: true, ..Flags::default() };
    assert_eq!(Flags::of(source), expected);
    let source = b"<?php $loader->setUseIncludePath(true); spl_autoload_register(array('X', 'autoload'), true, true); $loader->register(false);";
    assert_eq!(Flags::of(source), Flags { include_path: true, target_dir: true, ..Flags::default() });
}

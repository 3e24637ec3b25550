//! What autoload_real.php does with the loader. The principal type is [`Flags`].

use crate::php::token::{Tokens, What};

/// What the loader is told when it is made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// It takes its lists from autoload_static.php.
    pub(crate) is_static: bool,
    /// Only its list of classes counts.
    pub(crate) authoritative: bool,
    pub(crate) include_path: bool,
    /// It is registered before all others.
    pub(crate) prepends: bool,
    /// There is one more loader, for the project's `target-dir`.
    pub(crate) target_dir: bool,
}

impl Flags {
    pub(crate) fn of(source: &[u8]) -> Self {
        let mut flags = Self::default();
        let mut tokens = Tokens::new(source);
        loop {
            match tokens.next().what {
                What::End | What::Broken(_) => return flags,
                What::Text(text) if text.ends_with(b"/autoload_static.php") => flags.is_static = true,
                // It names the method of its own class.
                What::Text(text) if *text == *b"autoload" => flags.target_dir = true,
                What::Mark(b"->") => {
                    let What::Name(method) = tokens.peek().what else { continue };
                    tokens.next();
                    if !matches!(tokens.peek().what, What::Mark(b"(")) {
                        continue;
                    }
                    tokens.next();
                    let truth = matches!(tokens.peek().what, What::Name(name) if name.eq_ignore_ascii_case(b"true"));
                    match method {
                        b"setClassMapAuthoritative" => flags.authoritative = truth,
                        b"setUseIncludePath" => flags.include_path = truth,
                        b"register" => flags.prepends = truth,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
}

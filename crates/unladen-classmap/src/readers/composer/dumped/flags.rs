//! How autoload_real.php sets up the loader. The principal type is [`Flags`].

use crate::php::token::{Tokens, What};

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
                // It names a method of its own class.
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
mod tests;

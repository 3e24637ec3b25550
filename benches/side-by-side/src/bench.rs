//! The principal type is [`Bench`].

use std::error::Error;

/// A bench that cannot go on says why, and ends.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One bench; its name is what the command line takes.
pub(crate) struct Bench {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: fn(&Options) -> Result<()>,
}

/// What the command line says beside names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Rounds; each round runs every contestant once.
    pub(crate) rounds: Option<usize>,
    /// Of a bench with several cases, those to run; all if there are none.
    pub(crate) only: Vec<String>,
    /// Of the benches `proxy`, `cache`, `files`, `fastcgi` and `overload`, the contestants; all if there are none.
    pub(crate) proxies: Vec<String>,
}

impl Options {
    /// Rounds, unless the bench is to take another number.
    pub(crate) fn rounds_or(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }
}

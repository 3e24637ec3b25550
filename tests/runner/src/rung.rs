//! The principal type is [`Rung`]: which of the test programs are to run.

use crate::kind::Kind;
use crate::program::Program;

/// Which test programs are to run: each belongs to one of `serve`, `measure` and `rest`.
#[derive(Debug)]
pub(crate) struct Rung {
    /// Rungs, or names of programs. All, if there is none.
    words: Vec<String>,
}

impl Rung {
    pub(crate) fn of(words: &[String]) -> Self {
        Self { words: words.to_vec() }
    }

    /// Whether the program is one of them.
    pub(crate) fn has(&self, program: &Program) -> bool {
        let own = place(program);
        self.words.is_empty() || self.words.iter().any(|word| word == own || *word == program.name)
    }

    /// Whether the examples in the documentation are.
    pub(crate) fn has_doctests(&self) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| word == "rest")
    }

    /// A word that is no rung, and that no program is called.
    pub(crate) fn missing(&self, programs: &[Program]) -> Option<&str> {
        let is_known = |word: &str| programs.iter().any(|program| place(program) == word || program.name == word);
        self.words.iter().map(String::as_str).find(|word| !is_known(word))
    }
}

fn place(program: &Program) -> &'static str {
    let is_served = program.name.starts_with("serve_") || program.name.starts_with("site_");
    match program.kind {
        Kind::Measures => "measure",
        Kind::Independent if program.package == "unladen-tests" && is_served => "serve",
        Kind::Independent => "rest",
    }
}

#[cfg(test)]
mod tests;

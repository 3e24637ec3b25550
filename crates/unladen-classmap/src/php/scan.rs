//! What a file declares, by one pass over its bytes. The principal function is [`scan`].

mod alias;
mod names;
mod walk;
mod words;

use super::Declaration;

/// What is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// In the order of the file.
    pub declarations: Vec<Declaration>,
    /// What PHP itself could not read, with its line: a comment, string or heredoc that does not end. It is not looked
    /// for in files without any of the words that declare something.
    pub broken: Option<(u32, &'static str)>,
}

/// What `source`, the bytes of a PHP file, declares: wherever in the file, in functions and behind conditions too. A
/// class without a name is nothing that could be loaded, and a `class_alias` whose second name depends on more than
/// this file is left out.
pub fn scan(source: &[u8]) -> Scan {
    match words::Word::next(source, 0) {
        Some(first) => walk::Walk::new(source, first).run(),
        None => Scan::default(),
    }
}

#[cfg(test)]
mod tests;

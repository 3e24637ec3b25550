//! The principal type is [`Scan`].

use crate::php::Declaration;

/// What is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// In the order of the file.
    pub declarations: Vec<Declaration>,
    /// What PHP itself could not read, with its line: a comment, string or heredoc that does not end. It is not looked
    /// for in files without any of the words that declare something.
    pub broken: Option<(u32, &'static str)>,
}

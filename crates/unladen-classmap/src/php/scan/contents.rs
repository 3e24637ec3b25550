//! The principal type is [`Scan`].

use crate::php::Declaration;

/// The contents of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// In file order.
    pub declarations: Vec<Declaration>,
    /// A comment, string or heredoc without an end, with its line. Not looked for in files without a declaring word.
    pub broken: Option<(u32, &'static str)>,
}

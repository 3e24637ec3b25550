//! What a file declares, by one pass over its bytes. The principal function is [`scan`].

use super::Declaration;

/// What is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// In the order of the file.
    pub declarations: Vec<Declaration>,
    /// What PHP itself could not read, with its line: a comment, string or heredoc that does not end.
    pub broken: Option<(u32, &'static str)>,
}

/// What `source`, the bytes of a PHP file, declares.
pub fn scan(source: &[u8]) -> Scan {
    let _ = source;
    Scan::default()
}

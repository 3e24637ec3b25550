//! The principal type is [`Part`]: lines for a file.

/// Lines for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub file: String,
    /// The lines, ready to be copied.
    pub lines: Vec<String>,
    /// The group whose file it is, where it is not that of the fix.
    pub group: Option<usize>,
}

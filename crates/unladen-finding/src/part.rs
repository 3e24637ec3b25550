//! The principal type is [`Part`]: lines for a file.

/// Lines to copy into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub file: String,
    pub lines: Vec<String>,
    /// Group with this file, if not that of the fix.
    pub group: Option<usize>,
}

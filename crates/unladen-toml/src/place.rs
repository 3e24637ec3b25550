//! The principal type is [`Place`]: a line and a column.

/// A line and a column of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    /// In characters; both are counted from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte in a text.
    pub fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..text.floor_char_boundary(byte)).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

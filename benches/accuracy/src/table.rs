//! The principal type is [`Table`]: a table in Markdown.

use std::fmt::Write as _;

/// A table in Markdown, its first column of text and the others of numbers.
#[derive(Debug, Clone)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// One without rows.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = |cells: &[String]| {
            cells.iter().fold(String::from("|"), |mut line, cell| {
                let _ = write!(line, " {cell} |");
                line
            })
        };
        writeln!(f, "{}", line(&self.head))?;
        writeln!(f, "|---|{}", "---:|".repeat(self.head.len().saturating_sub(1)))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

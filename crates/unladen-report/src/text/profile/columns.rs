//! The principal type is [`Columns`]: a table of functions.

use std::io::{self, Write};

use crate::style::Style;
use crate::text::table::{Grid, width, written};

/// Minimum width of a function's name, for which other columns go.
pub(super) const NARROWEST: usize = 28;

/// Columns of figures, with functions in the remaining width.
pub(super) struct Columns {
    headings: Vec<String>,
    /// Columns that may be dropped, the first one first.
    expendable: Vec<usize>,
    rows: Vec<Vec<String>>,
    left: Vec<usize>,
    /// Output lines of each row, or of what follows a row.
    lines: Vec<Vec<String>>,
}

impl Columns {
    pub(super) fn new(headings: &[&str], expendable: &[usize]) -> Self {
        Self {
            headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
            expendable: expendable.to_vec(),
            rows: Vec::new(),
            left: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Drops empty columns, and others until functions have room; returns that room.
    pub(super) fn settle(&mut self, style: Style) -> usize {
        const GAP: usize = 2;
        let has_any = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        self.left = (0..self.headings.len()).filter(has_any).collect();
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| width(&written(&row[column], style)));
            cells.chain([width(&written(&self.headings[column], style))]).max().unwrap_or(0) + GAP
        };
        let total = usize::from(style.width);
        let room = |left: &[usize]| total.saturating_sub(left.iter().map(|column| widest(*column)).sum());
        let mut left = self.left.clone();
        for gone in &self.expendable {
            if room(&left) >= NARROWEST {
                break;
            }
            left.retain(|column| column != gone);
        }
        let room = room(&left);
        self.left = left;
        // An ellipsis is three characters in ASCII.
        let room = if style.ascii { room.saturating_sub(2) } else { room };
        room.max(NARROWEST / 2)
    }

    pub(super) fn function(&mut self, row: usize, function: String) {
        let mut cells: Vec<String> = self.left.iter().map(|column| self.rows[row][*column].clone()).collect();
        cells.push(function);
        self.lines.push(cells);
    }

    pub(super) fn below(&mut self, text: String) {
        let mut cells = vec![String::new(); self.left.len()];
        cells.push(text);
        self.lines.push(cells);
    }

    pub(super) fn write(self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut headings: Vec<&str> = self.left.iter().map(|column| self.headings[*column].as_str()).collect();
        headings.push("function");
        let mut grid = Grid::new(&headings).left_only(self.left.len());
        for line in self.lines {
            grid.row(line);
        }
        grid.write(style, out)
    }
}

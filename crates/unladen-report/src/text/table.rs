//! The principal type is [`Grid`]: a table that drops what matters least until it fits.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::prose::clean;
use crate::ascii::replaced;
use crate::style::Style;

/// Escape sequences would count as width. So a dressed cell is marked by characters that have none, and the marks
/// become sequences when the table is laid out.
const STRONG: char = '\u{2061}';
const WARN: char = '\u{2062}';
const FAINT: char = '\u{2063}';
const HEADING: char = '\u{2064}';
const END: char = '\u{2060}';
const MARKS: [char; 5] = [STRONG, WARN, FAINT, HEADING, END];

/// The figure to look at.
pub(super) fn strong(text: &str) -> String {
    format!("{STRONG}{text}{END}")
}

/// What must not be overlooked.
pub(super) fn warn(text: &str) -> String {
    format!("{WARN}{text}{END}")
}

/// What could be overlooked.
pub(super) fn faint(text: &str) -> String {
    format!("{FAINT}{text}{END}")
}

/// Rows and columns: the first column to the left, numbers to the right.
pub(super) struct Grid {
    headings: Vec<String>,
    is_left: Vec<bool>,
    /// Columns that may go, the first to go first.
    expendable: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(headings: &[&str]) -> Self {
        // A bar stands in an unnamed second column of a wide table.
        let is_left = |index: usize| index == 0 || index == 1 && headings[index].is_empty() && headings.len() > 4;
        Self {
            headings: headings.iter().map(|text| clean(text)).collect(),
            is_left: (0..headings.len()).map(is_left).collect(),
            expendable: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Sets a column of words to the left.
    pub(super) fn left(mut self, column: usize) -> Self {
        self.is_left[column] = true;
        self
    }

    /// Sets all columns but one to the right.
    pub(super) fn left_only(mut self, column: usize) -> Self {
        self.is_left = (0..self.headings.len()).map(|index| index == column).collect();
        self
    }

    /// Says which columns may go where the terminal is narrow, the first to go first.
    pub(super) fn expendable(mut self, columns: &[usize]) -> Self {
        self.expendable = columns.to_vec();
        self
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| clean(&cell)).collect());
    }

    /// Writes it, and an empty line.
    pub(super) fn write(&self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = self.lines(&[], style);
        for gone in 1..=self.expendable.len() {
            if fit(&lines, style) {
                break;
            }
            lines = self.lines(&self.expendable[..gone], style);
        }
        for line in lines {
            writeln!(out, "{}", dressed(&line, style))?;
        }
        writeln!(out)
    }

    /// Whether all of it has room.
    pub(super) fn fits(&self, style: Style) -> bool {
        fit(&self.lines(&[], style), style)
    }

    fn lines(&self, gone: &[usize], style: Style) -> Vec<String> {
        let kept = |cells: &[String]| -> Vec<String> {
            cells
                .iter()
                .enumerate()
                .filter(|(index, _)| !gone.contains(index))
                .map(|(_, cell)| written(cell, style))
                .collect()
        };
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(kept(&self.headings).iter().map(|text| format!("{HEADING}{text}{END}")));
        for row in &self.rows {
            table.add_row(kept(row));
        }
        let is_left = self.is_left.iter().enumerate().filter(|(index, _)| !gone.contains(index)).map(|(_, left)| *left);
        for (column, is_left) in table.column_iter_mut().zip(is_left) {
            column.set_padding((0, 2));
            column.set_cell_alignment(if is_left { CellAlignment::Left } else { CellAlignment::Right });
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// Tables of so many columns as have room side by side, at most `most` of them.
pub(super) fn side_by_side<'n>(
    names: &[&'n str],
    most: usize,
    style: Style,
    table: impl Fn(&[&'n str]) -> Grid,
) -> Vec<Grid> {
    let mut tables = Vec::new();
    for many in (1..=most.max(1)).rev() {
        tables = names.chunks(many).map(&table).collect();
        if tables.iter().all(|table| table.fits(style)) {
            break;
        }
    }
    tables
}

fn fit(lines: &[String], style: Style) -> bool {
    lines.iter().all(|line| width(line) <= usize::from(style.width))
}

/// A cell as it will be written, marks and all: columns are laid out by that.
pub(super) fn written(cell: &str, style: Style) -> String {
    if style.ascii { replaced(cell, &MARKS) } else { cell.to_owned() }
}

/// Columns of a terminal, the marks apart.
pub(super) fn width(line: &str) -> usize {
    line.chars().filter(|c| !MARKS.contains(c)).count()
}

/// Marks become what the style has for them.
fn dressed(line: &str, style: Style) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(start) = rest.find([STRONG, WARN, FAINT, HEADING]) {
        text.push_str(&rest[..start]);
        let mark = rest[start..].chars().next().unwrap_or(END);
        rest = &rest[start + mark.len_utf8()..];
        let (inner, after) = rest.split_once(END).unwrap_or((rest, ""));
        text.push_str(&match mark {
            STRONG => style.strong(inner),
            WARN => style.warn(inner),
            FAINT => style.faint(inner),
            _ => style.heading(inner),
        });
        rest = after;
    }
    text.push_str(rest);
    text.trim_end().to_owned()
}

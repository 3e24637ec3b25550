//! The principal type is [`Grid`]: a table that drops the least important columns until it fits.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::prose::clean;
use crate::style::{END, FAINT, HEADING, MARKS, STRONG, Style, WARN, replaced};

/// The most important figure.
pub(super) fn strong(text: &str) -> String {
    format!("{STRONG}{text}{END}")
}

/// Must not be overlooked.
pub(super) fn warn(text: &str) -> String {
    format!("{WARN}{text}{END}")
}

/// May be overlooked.
pub(super) fn faint(text: &str) -> String {
    format!("{FAINT}{text}{END}")
}

/// Rows and columns: the first column is left-aligned, numbers are right-aligned.
pub(super) struct Grid {
    headings: Vec<String>,
    is_left: Vec<bool>,
    /// Columns that may be dropped, the first one first.
    expendable: Vec<usize>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(headings: &[&str]) -> Self {
        // The unnamed second column of a wide table holds bars.
        let is_left = |index: usize| index == 0 || index == 1 && headings[index].is_empty() && headings.len() > 4;
        Self {
            headings: headings.iter().map(|text| clean(text)).collect(),
            is_left: (0..headings.len()).map(is_left).collect(),
            expendable: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Left-aligns a column of words.
    pub(super) fn left(mut self, column: usize) -> Self {
        self.is_left[column] = true;
        self
    }

    /// Right-aligns all columns but one.
    pub(super) fn left_only(mut self, column: usize) -> Self {
        self.is_left = (0..self.headings.len()).map(|index| index == column).collect();
        self
    }

    /// Sets the columns to drop on narrow terminals, the first one first.
    pub(super) fn expendable(mut self, columns: &[usize]) -> Self {
        self.expendable = columns.to_vec();
        self
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| clean(&cell)).collect());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the table and an empty line.
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

/// Splits `names` into tables of as many columns as fit side by side, at most `most`.
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

/// A cell as written, with its marks, which columns are laid out by.
pub(super) fn written(cell: &str, style: Style) -> String {
    if style.ascii { replaced(cell, &MARKS) } else { cell.to_owned() }
}

/// Width in columns of a terminal, without marks.
pub(super) fn width(line: &str) -> usize {
    line.chars().filter(|c| !MARKS.contains(c)).count()
}

/// Replaces marks by the sequences of the style.
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

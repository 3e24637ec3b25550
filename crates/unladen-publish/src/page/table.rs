//! The principal type is [`Table`].

use askama::Template;

use super::words::Words;

/// Maximum rows of a table; the rest is in the document.
const MOST_ROWS: usize = 1_500;
/// Minimum rows for a search field.
const FILTER_FROM: usize = 16;
/// Maximum characters of a first cell that names its row by a number.
const SHORT: usize = 7;

#[derive(Debug, Clone, Default, PartialEq, Template)]
#[template(path = "table.html")]
pub(crate) struct Table {
    pub(crate) caption: Words,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    is_sortable: bool,
    pub(crate) is_detail: bool,
    pub(crate) left_out: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) is_number: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) words: Words,
    /// Sort key, if the text is unsuitable.
    sort: Option<f64>,
    bar: Option<Bar>,
}

/// A length and its interval, as percentages of the longest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bar {
    pub(crate) length: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) has_interval: bool,
}

impl Table {
    /// Titles that begin with `#` mark columns of numbers. An empty one marks bars, whose title is only read aloud.
    pub(crate) fn new(caption: impl Into<Words>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|title| {
            let number = title.strip_prefix('#');
            Column { title: number.unwrap_or(title).to_owned(), is_number: number.is_some() }
        });
        Self { caption: caption.into(), columns: columns.collect(), ..Self::default() }
    }

    pub(crate) fn sortable(mut self) -> Self {
        self.is_sortable = true;
        self
    }

    /// Formats with little room fold it away.
    pub(crate) fn detail(mut self) -> Self {
        self.is_detail = true;
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        if self.rows.len() < MOST_ROWS {
            self.rows.push(cells.into_iter().collect());
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn has_filter(&self) -> bool {
        self.is_sortable && self.rows.len() >= FILTER_FROM
    }

    /// Few columns far apart would be hard to follow.
    fn is_narrow(&self) -> bool {
        self.columns.len() <= 3 && !(0..self.columns.len()).any(|column| self.has_bars(&column))
    }

    /// Run numbers need no extra room, which narrow screens lack.
    fn is_short(&self) -> bool {
        self.rows.iter().filter_map(|row| row.first()).all(|cell| cell.words.text().chars().count() <= SHORT)
    }

    /// Columns of bars are HTML's alone.
    pub(crate) fn has_bars(&self, column: &usize) -> bool {
        self.rows.first().and_then(|row| row.get(*column)).is_some_and(|cell| cell.bar.is_some())
    }

    fn is_number(&self, column: &usize) -> bool {
        self.columns.get(*column).is_some_and(|column| column.is_number)
    }
}

// === impl Cell ===

impl Cell {
    pub(crate) fn new(words: impl Into<Words>) -> Self {
        Self { words: words.into(), ..Self::default() }
    }

    pub(crate) fn by(mut self, number: f64) -> Self {
        self.sort = Some(number).filter(|number| number.is_finite());
        self
    }

    pub(crate) fn bar(mut self, bar: Bar) -> Self {
        self.bar = Some(bar);
        self
    }
}

impl<T: Into<Words>> From<T> for Cell {
    fn from(words: T) -> Self {
        Self::new(words)
    }
}

impl Bar {
    /// `most` is the longest.
    pub(crate) fn of(value: f64, low: f64, high: f64, most: f64) -> Self {
        let percent = |value: f64| {
            let percent = value / most * 100.0;
            if percent.is_finite() { percent.clamp(0.0, 100.0) } else { 0.0 }
        };
        Self { length: percent(value), low: percent(low), high: percent(high), has_interval: high > low }
    }

    pub(crate) fn length_text(&self) -> String {
        format!("{:.1}", self.length)
    }

    pub(crate) fn interval_text(&self) -> String {
        format!("M{:.1} 6H{:.1}M{0:.1} 2v8M{1:.1} 2v8", self.low, self.high)
    }
}

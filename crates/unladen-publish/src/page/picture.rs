//! The principal type is [`Picture`]: a drawing in a page, with a text alternative.

use std::fmt::Write;

use askama::Template;
use unladen_quantity::{Area, Kind, interval_path, short};

use super::escape::escaped;
use super::table::Table;

/// Narrow, with letters of 13: on a phone of 360 points they are still nine points high.
pub(crate) const WIDTH: f64 = 480.0;
const LETTER: f64 = 7.0;
pub(crate) const LEFT: f64 = 58.0;
pub(crate) const RIGHT: f64 = WIDTH - 14.0;
/// Kinds of lines and boxes, each with a colour and a dash in the style sheet.
const LOOKS: usize = 7;

#[derive(Debug, Clone, Default, PartialEq, Template)]
#[template(path = "picture.html")]
pub(crate) struct Picture {
    title: String,
    description: String,
    height: f64,
    body: String,
    legend: Vec<(String, String)>,
    table: Option<Box<Table>>,
}

/// Class of the line, dot or box with this number.
pub(crate) fn look(index: usize) -> String {
    format!("c{}", index % LOOKS)
}

impl Picture {
    pub(crate) fn new(title: impl Into<String>, description: impl Into<String>, height: f64) -> Self {
        Self { title: title.into(), description: description.into(), height, ..Self::default() }
    }

    pub(crate) fn with_table(mut self, table: Table) -> Self {
        self.table = Some(Box::new(table)).filter(|table| !table.is_empty());
        self
    }

    pub(crate) fn legend(&mut self, class: impl Into<String>, text: impl Into<String>) {
        self.legend.push((class.into(), text.into()));
    }

    /// Adds text behind the legend.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.legend.push((String::new(), text.into()));
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
        ));
    }

    pub(crate) fn path(&mut self, class: &str, path: &str) {
        self.add(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
    }

    pub(crate) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let (width, height) = (width.max(0.0), height.max(0.0));
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        ));
    }

    /// A dot with a tooltip.
    pub(crate) fn dot(&mut self, class: &str, x: f64, y: f64, radius: f64, says: &str) {
        let says = escaped(says);
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{says}</title></circle>"
        ));
    }

    pub(crate) fn interval(&mut self, x: f64, low: f64, high: f64) {
        self.path("interval", &interval_path(x, low, high, 3.0));
    }

    /// A horizontal line, labelled on its left.
    pub(crate) fn row(&mut self, area: &Area, value: f64, label: &str) {
        self.path("grid", &area.row(value));
        self.text(area.left - 6.0, area.y(value) + 4.0, "end", "tick", label);
    }

    /// A vertical line, labelled below.
    pub(crate) fn column(&mut self, area: &Area, value: f64, label: &str) {
        self.path("grid", &area.column(value));
        self.text(area.x(value), area.bottom + 16.0, "middle", "tick", label);
    }

    pub(crate) fn rows(&mut self, area: &Area, kind: Kind, most: usize) {
        for tick in area.y.ticks(most) {
            self.row(area, tick, &short(kind, tick));
        }
    }

    pub(crate) fn columns(&mut self, area: &Area, kind: Kind, most: usize) {
        for tick in area.x.ticks(most) {
            self.column(area, tick, &short(kind, tick));
        }
    }

    pub(crate) fn line(&mut self, area: &Area, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let path = area.line(points);
        if !path.is_empty() {
            self.path(&format!("line {class}"), &path);
        }
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    fn height_text(&self) -> String {
        format!("{:.0}", self.height)
    }
}

/// The part of a text that fits, with a mark if it was cut.
pub(crate) fn cut(text: &str, space: f64) -> String {
    let room = (space / LETTER).max(1.0) as usize;
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

pub(crate) fn wide(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

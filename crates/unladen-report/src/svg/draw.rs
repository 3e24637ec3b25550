//! What all pictures are drawn with.

use crate::quantity::{Kind, short};
use crate::scale::Scale;

pub(super) const WIDTH: f64 = 900.0;
pub(super) const MARGIN: f64 = 24.0;

pub(super) fn text(x: f64, y: f64, anchor: &str, fill: &str, content: &str, body: &mut String) {
    let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    // Control characters are not allowed in XML 1.0, not even escaped.
    let allowed: String = escaped.chars().filter(|c| !c.is_control()).collect();
    body.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{allowed}</text>\n"
    ));
}

/// Colours that the colour-blind tell apart, all dark enough on white (Okabe and Ito, Color Universal Design, 2008).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000"];
/// Once all colours are used, lines differ by their dashes.
const DASHES: [&str; 4] = ["", "8 4", "2 3", "8 3 2 3"];
pub(super) const GREY: &str = "#666";
const GRID: &str = "#ddd";

/// How something is drawn: colour, dashes.
pub(super) type Look = (&'static str, &'static str);

/// How the one of that number is drawn.
pub(super) fn look(index: usize) -> Look {
    (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()])
}

/// An area with two scales.
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Plot {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.x.at(value) * (self.right - self.left)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - self.y.at(value) * (self.bottom - self.top)
    }

    /// A line across, with what it stands for left of it.
    pub(super) fn row(&self, value: f64, label: &str, body: &mut String) {
        let y = self.y(value);
        body.push_str(&format!("<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"{GRID}\"/>\n", self.left, self.right));
        text(self.left - 8.0, y + 5.0, "end", GREY, label, body);
    }

    /// A line from top to bottom, with what it stands for below.
    pub(super) fn column(&self, value: f64, label: &str, body: &mut String) {
        let x = self.x(value);
        body.push_str(&format!("<path d=\"M{x:.1} {:.1}V{:.1}\" stroke=\"{GRID}\"/>\n", self.top, self.bottom));
        text(x, self.bottom + 18.0, "middle", GREY, label, body);
    }

    /// Round latencies on the vertical axis.
    pub(super) fn rows(&self, body: &mut String) {
        for tick in self.y.ticks(6) {
            self.row(tick, &short(Kind::Time, tick), body);
        }
    }

    /// Round latencies on the horizontal axis.
    pub(super) fn columns(&self, body: &mut String) {
        for tick in self.x.ticks(8) {
            self.column(tick, &short(Kind::Time, tick), body);
        }
    }

    /// A line through points.
    pub(super) fn line(&self, points: impl IntoIterator<Item = (f64, f64)>, (colour, dashes): Look, body: &mut String) {
        let mut path = String::new();
        for (x, y) in points {
            let command = if path.is_empty() { 'M' } else { 'L' };
            path.push_str(&format!("{command}{:.1} {:.1}", self.x(x), self.y(y)));
        }
        if !path.is_empty() {
            body.push_str(&format!(
                "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\" fill=\"none\"/>\n"
            ));
        }
    }
}

/// Names beside the lines they belong to, in columns below `y`; returns where they end.
pub(super) fn legend(names: &[(&str, Look)], left: f64, mut y: f64, body: &mut String) -> f64 {
    const IN_A_ROW: usize = 3;
    const LINE: f64 = 30.0;
    let width = (WIDTH - left - MARGIN) / IN_A_ROW as f64;
    for names in names.chunks(IN_A_ROW) {
        for (column, (name, (colour, dashes))) in names.iter().enumerate() {
            let x = left + column as f64 * width;
            body.push_str(&format!(
                "<path d=\"M{x:.1} {:.1}h{LINE}\" stroke=\"{colour}\" stroke-width=\"3\" stroke-dasharray=\"{dashes}\"/>\n",
                y - 5.0
            ));
            text(x + LINE + 8.0, y, "start", "#000", name, body);
        }
        y += 20.0;
    }
    y
}

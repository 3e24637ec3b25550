//! Drawing tools of all pictures.

use std::borrow::Cow;

use unladen_quantity::{Area, Kind, is_unseen, short};

/// Narrow, with large letters: on a phone of 390 points these are still ten points high.
pub(super) const WIDTH: f64 = 600.0;
pub(super) const SIZE: f64 = 16.0;
/// Width of most letters at that size; names and figures are no wider on average.
const LETTER: f64 = 8.4;
pub(super) const LINE: f64 = 20.0;
pub(super) const MARGIN: f64 = 24.0;

pub(super) fn text(x: f64, y: f64, anchor: &str, fill: &str, content: &str, body: &mut String) {
    let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    // XML 1.0 does not allow control characters, not even escaped; a mark of direction would turn the text beside it.
    let allowed: String = escaped.chars().filter(|c| !c.is_control() && !is_unseen(*c)).collect();
    body.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{allowed}</text>\n"
    ));
}

/// Approximate width of a text.
pub(super) fn wide(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// The part of a text that fits, with a mark if it was cut.
pub(super) fn cut(text: &str, space: f64) -> Cow<'_, str> {
    let room = (space / LETTER) as usize;
    if text.chars().count() <= room {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(room.saturating_sub(1)).chain(['…']).collect())
}

/// Text from `x` to the right edge, wrapped, with the first baseline at `y`; returns where it ends.
pub(super) fn lines(x: f64, mut y: f64, fill: &str, content: &str, body: &mut String) -> f64 {
    let space = WIDTH - MARGIN - x;
    let room = (space / LETTER) as usize;
    let mut line = String::new();
    for word in content.split_whitespace() {
        // Words longer than a line are cut, with a mark.
        let word = cut(word, space);
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            text(x, y, "start", fill, &line, body);
            y += LINE;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if line.is_empty() {
        return y;
    }
    text(x, y, "start", fill, &line, body);
    y + LINE
}

/// Colours that the colour-blind can distinguish, all dark enough on white (Okabe and Ito, Color Universal Design,
/// 2008).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000"];
/// Once all colours are used, lines differ by their dashes.
const DASHES: [&str; 4] = ["", "8 4", "2 3", "8 3 2 3"];
/// Replacements for each colour on a dark ground. Attributes hold the light ones, for programs without style sheets.
const DARK: [(&str, &str); 12] = [
    ("#fff", "#14161a"),
    ("#000", "#f0f0f0"),
    ("#666", "#a8adb5"),
    ("#ddd", "#3a3f47"),
    ("#0072b2", "#4aa8e8"),
    ("#d55e00", "#ff8a45"),
    ("#009e73", "#2ccb9b"),
    ("#cc79a7", "#e6a0c6"),
    ("#e69f00", "#ffc24a"),
    ("#56b4e9", "#a9dcf8"),
    ("#3a7ca5", "#62b0dd"),
    ("#f2c14e", "#b98a1e"),
];

/// Style sheet for readers who prefer a dark ground.
pub(super) fn dark() -> String {
    let rules =
        DARK.map(|(light, dark)| format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}"));
    format!("@media (prefers-color-scheme:dark){{{}}}", rules.concat())
}

/// Whether the colour has a replacement on a dark ground.
#[cfg(test)]
pub(super) fn has_dark(colour: &str) -> bool {
    colour == "none" || DARK.iter().any(|(light, _)| *light == colour)
}

pub(super) const GREY: &str = "#666";
const GRID: &str = "#ddd";

/// Colour and dashes.
pub(super) type Look = (&'static str, &'static str);

pub(super) fn look(index: usize) -> Look {
    (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()])
}

/// A horizontal line, labelled on its left.
pub(super) fn row(area: &Area, value: f64, label: &str, body: &mut String) {
    body.push_str(&format!("<path d=\"{}\" stroke=\"{GRID}\"/>\n", area.row(value)));
    text(area.left - 8.0, area.y(value) + 5.0, "end", GREY, label, body);
}

/// A vertical line, labelled below.
pub(super) fn column(area: &Area, value: f64, label: &str, body: &mut String) {
    body.push_str(&format!("<path d=\"{}\" stroke=\"{GRID}\"/>\n", area.column(value)));
    text(area.x(value), area.bottom + 18.0, "middle", GREY, label, body);
}

/// Round values on the vertical axis, at most so many.
pub(super) fn rows(area: &Area, kind: Kind, most: usize, body: &mut String) {
    for tick in area.y.ticks(most) {
        row(area, tick, &short(kind, tick), body);
    }
}

/// Round times on the horizontal axis.
pub(super) fn columns(area: &Area, body: &mut String) {
    for tick in area.x.ticks(5) {
        column(area, tick, &short(Kind::Time, tick), body);
    }
}

pub(super) fn line(
    area: &Area,
    points: impl IntoIterator<Item = (f64, f64)>,
    (colour, dashes): Look,
    body: &mut String,
) {
    let path = area.line(points);
    if !path.is_empty() {
        body.push_str(&format!(
            "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\" fill=\"none\"/>\n"
        ));
    }
}

/// Names beside samples of their lines, in columns below `y`; returns where they end.
pub(super) fn legend(names: &[(&str, Look)], left: f64, mut y: f64, body: &mut String) -> f64 {
    const IN_A_ROW: usize = 2;
    const DASH: f64 = 30.0;
    let width = (WIDTH - left - MARGIN) / IN_A_ROW as f64;
    for names in names.chunks(IN_A_ROW) {
        for (column, (name, (colour, dashes))) in names.iter().enumerate() {
            let x = left + column as f64 * width;
            body.push_str(&format!(
                "<path d=\"M{x:.1} {:.1}h{DASH}\" stroke=\"{colour}\" stroke-width=\"3\" stroke-dasharray=\"{dashes}\"/>\n",
                y - 5.0
            ));
            text(x + DASH + 8.0, y, "start", "#000", name, body);
        }
        y += LINE + 2.0;
    }
    y
}

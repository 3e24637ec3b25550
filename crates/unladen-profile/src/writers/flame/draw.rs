//! Writes a [`Picture`] as an SVG document.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use super::amount::{Amounts, FlameStyle, digits, grouped, percent};
use super::colour::{self, KINDS};
use super::compared::{Compared, Moved, change};
use super::name::{self, escaped, fit};
use super::tree::{Placed, Tree};
use crate::frame::{FrameId, FrameKind, Frames};

/// Leaves a line between boxes.
const BOX: f64 = LEVEL - 1.0;
const BOTTOM: f64 = 12.0;
const ROOT: &str = "all";

const SHEET: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

impl Picture<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut BufWriter::with_capacity(1 << 16, out);
        let (width, height) = (self.style.width(), self.height());
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             class=\"flame\" role=\"group\" aria-label=\"{}\">",
            escaped(&format!("Flame graph: {}", self.style.title)),
        )?;
        self.sheet(out)?;
        writeln!(out, "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n<g class=\"chart\">")?;
        for placed in &self.tree.boxes {
            self.draw(placed, out)?;
        }
        writeln!(out, "</g>\n<g class=\"labels\">")?;
        for placed in &self.tree.boxes {
            self.label(placed, out)?;
        }
        writeln!(out, "</g>")?;
        self.head(out)?;
        write!(out, "<script type=\"application/json\" class=\"data\">")?;
        self.data(out)?;
        writeln!(out, "</script>\n<script><![CDATA[\n{SCRIPT}]]></script>\n</svg>")?;
        out.flush()
    }

    fn sheet(&self, out: &mut dyn Write) -> io::Result<()> {
        let is_compared = self.compared.is_some();
        let (light, dark) = (colour::rules(false, is_compared), colour::rules(true, is_compared));
        writeln!(out, "<style><![CDATA[\n{SHEET}{light}\n@media (prefers-color-scheme:dark){{{dark}}}\n]]></style>")
    }

    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.style.width();
        writeln!(out, "<g class=\"head\"><rect class=\"ground\" width=\"100%\" height=\"{}\"/>", HEAD - 8.0)?;
        writeln!(out, "<text class=\"title\" x=\"{MARGIN}\" y=\"28\">{}</text>", escaped(&self.style.title))?;
        let left_out = self.left_out().map(|text| format!(" · {text}")).unwrap_or_default();
        let subtitle = format!("{}{left_out}", self.style.subtitle);
        writeln!(out, "<text class=\"subtitle\" x=\"{MARGIN}\" y=\"48\">{}</text>", escaped(&subtitle))?;
        self.legend(out)?;
        let whole = match (self.compared, self.tree.boxes.first()) {
            (Some(compared), Some(root)) => format!("{ROOT}: {}", self.moved(compared, root)),
            _ => format!("{ROOT}: {}{}", self.amounts.text(self.tree.whole()), self.amounts.per),
        };
        writeln!(out, "<text class=\"name\" x=\"{MARGIN}\" y=\"92\">{}</text>", escaped(&whole))?;
        writeln!(out, "<text class=\"details\" x=\"{MARGIN}\" y=\"109\"></text>")?;
        writeln!(out, "<path class=\"rule\" d=\"M0 {0}H{width}\"/></g>", HEAD - 8.5)
    }

    fn left_out(&self) -> Option<String> {
        let left_out = self.tree.left_out;
        let why = if left_out.is_deep { "too narrow or too deep" } else { "too narrow" };
        let boxes = if left_out.boxes == 1 {
            "1 other".to_owned()
        } else {
            format!("{} others", grouped(left_out.boxes as u64))
        };
        (left_out.boxes > 0).then(|| format!("{boxes} {why} to be drawn, together {}", percent(left_out.part)))
    }

    fn legend(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut x = MARGIN;
        let mut entry = |class: &str, text: &str| {
            let at = x;
            x += 18.0 + 6.6 * name::width(text) as f64 + 16.0;
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{at:.1}\" y=\"60\" width=\"12\" height=\"12\"/>\
                 <text class=\"legend\" x=\"{:.1}\" y=\"70\">{text}</text>",
                at + 17.0
            )
        };
        if let Some(compared) = self.compared {
            entry("u4 told", "▲ grown")?;
            entry("d4 told", "▼ shrunk")?;
            return entry("e0", compared.untold);
        }
        for (kind, letter, text, ..) in KINDS {
            if self.tree.boxes.iter().any(|placed| self.kind(placed) == Some(kind)) {
                entry(&format!("{letter}2"), text)?;
            }
        }
        Ok(())
    }

    fn draw(&self, placed: &Placed, out: &mut dyn Write) -> io::Result<()> {
        let class = match (self.compared, placed.frame) {
            (Some(compared), _) => {
                let moved = compared.moved(placed);
                let told = if moved == Moved::No { "" } else { " told" };
                format!("{}{told}", moved.class())
            }
            (None, Some(frame)) => {
                let frame = self.frames.get(frame);
                colour::class(frame.kind, frame.name)
            }
            (None, None) => "g0".to_owned(),
        };
        let width = self.box_width(placed);
        // Boxes of the baseline alone are for the script.
        let hidden = if width > 0.0 { "" } else { " display=\"none\"" };
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{}\" width=\"{width:.2}\" height=\"{BOX}\"{hidden}><title>{}</title></rect>",
            self.x(placed),
            self.y(placed),
            self.tooltip(placed),
        )
    }

    fn label(&self, placed: &Placed, out: &mut dyn Write) -> io::Result<()> {
        let columns = (self.box_width(placed) - 2.0 * PADDING) / COLUMN;
        // A negative number becomes 0.
        let columns = columns as usize;
        let mark = self.compared.map_or("", |compared| compared.moved(placed).mark());
        let Some(text) = fit(self.name(placed), columns.saturating_sub(mark.chars().count())) else { return Ok(()) };
        let (x, y) = (self.x(placed) + PADDING, self.y(placed) + 12.5);
        writeln!(out, "<text x=\"{x:.2}\" y=\"{y}\">{mark}{}</text>", escaped(&text))
    }

    fn tooltip(&self, placed: &Placed) -> String {
        let name = self.name(placed);
        let place = placed.frame.map(|frame| name::place(self.frames.get(frame))).unwrap_or_default();
        let line = if place.is_empty() { "" } else { "\n" };
        let told = match self.compared {
            Some(compared) => self.moved(compared, placed),
            None => format!(
                "{}{}, {}; self {}",
                self.amounts.text(placed.drawn.total),
                self.amounts.per,
                percent(placed.drawn.total / self.tree.whole()),
                percent(placed.drawn.own / self.tree.whole()),
            ),
        };
        format!("{}{line}{}\n{}", escaped(name), escaped(&place), escaped(&told))
    }

    /// `3.1 ms → 2.0 ms a request (−1.1 ms): shrunk`
    fn moved(&self, compared: &Compared<'_>, placed: &Placed) -> String {
        let change = change(placed);
        let plus = if change > 0.0 { "+" } else { "" };
        format!(
            "{} → {}{} ({plus}{}): {}",
            self.amounts.text(placed.other.total),
            self.amounts.text(placed.drawn.total),
            self.amounts.per,
            self.amounts.text(change),
            compared.words(placed),
        )
    }

    fn name(&self, placed: &Placed) -> &str {
        placed.frame.map_or(ROOT, |frame| name::of(self.frames.get(frame)))
    }

    fn kind(&self, placed: &Placed) -> Option<FrameKind> {
        placed.frame.map(|frame| self.frames.get(frame).kind)
    }

    fn height(&self) -> f64 {
        HEAD + LEVEL * f64::from(self.tree.levels) + BOTTOM
    }

    fn y(&self, placed: &Placed) -> f64 {
        HEAD + LEVEL * f64::from(self.tree.levels.saturating_sub(placed.depth + 1))
    }

    fn x(&self, placed: &Placed) -> f64 {
        MARGIN + self.pixels(placed.drawn.start)
    }

    fn box_width(&self, placed: &Placed) -> f64 {
        self.pixels(placed.drawn.total)
    }

    fn pixels(&self, weight: f64) -> f64 {
        let part = weight / self.tree.whole();
        if part.is_finite() { part * (self.style.width() - 2.0 * MARGIN) } else { 0.0 }
    }
}

/// What is drawn, and its measures in pixels.
pub(super) struct Picture<'a> {
    pub(super) frames: &'a Frames,
    pub(super) tree: &'a Tree,
    pub(super) amounts: &'a Amounts,
    pub(super) style: &'a FlameStyle,
    pub(super) compared: Option<&'a Compared<'a>>,
}

/// Height of the head with titles, legend and details; in pixels, like all here.
pub(super) const HEAD: f64 = 126.0;
/// From one level to the next.
pub(super) const LEVEL: f64 = 18.0;
/// Left and right.
pub(super) const MARGIN: f64 = 12.0;
/// A column of the fixed-width font at 12 pixels; the script measures it.
pub(super) const COLUMN: f64 = 7.23;
/// Between a box and its name.
pub(super) const PADDING: f64 = 4.0;

/// `12.3`, as the script reads it back.
pub(super) fn number(value: f64) -> String {
    const WHOLE: f64 = 1e15;
    if value.fract() == 0.0 && value.abs() < WHOLE {
        format!("{value:.0}")
    } else if value.is_finite() {
        format!("{value:.5e}")
    } else {
        digits(0.0)
    }
}

impl Picture<'_> {
    /// `frames`: name, place, kind, and in a comparison the function's significance, change, and ends of the interval.
    /// `boxes`: frame, depth, total weight, own weight; in a comparison, the same of the baseline, and 0, 1 or −1 for
    /// insignificant, grown, shrunk.
    pub(super) fn data(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut ids: HashMap<FrameId, usize> = HashMap::new();
        write!(out, "{{\"frames\":[[\"all\",\"\",\"\"]")?;
        for frame in self.tree.boxes.iter().filter_map(|placed| placed.frame) {
            let next = ids.len() + 1;
            if *ids.entry(frame).or_insert(next) == next {
                writeln!(out, ",")?;
                self.frame(frame, out)?;
            }
        }
        write!(out, "],\n\"boxes\":[")?;
        for (index, placed) in self.tree.boxes.iter().enumerate() {
            let frame = placed.frame.and_then(|frame| ids.get(&frame)).copied().unwrap_or(0);
            let (total, own) = (number(placed.drawn.total), number(placed.drawn.own));
            write!(out, "{}{frame},{},{total},{own}", if index == 0 { "" } else { ",\n" }, placed.depth)?;
            if let Some(compared) = self.compared {
                let moved = match compared.moved(placed) {
                    Moved::No => 0,
                    Moved::Grown(_) => 1,
                    Moved::Shrunk(_) => -1,
                };
                write!(out, ",{},{},{moved}", number(placed.other.total), number(placed.other.own))?;
            }
        }
        let amounts = self.amounts;
        let rest = serde_json::json!({
            "compared": self.compared.is_some(),
            "untold": self.compared.map(|compared| compared.untold),
            "factor": amounts.factor,
            "scale": amounts.scale.into_str(),
            "per": amounts.per,
            "levels": self.tree.levels,
            "leftOut": self.tree.left_out.boxes,
            "head": HEAD,
            "level": LEVEL,
            "margin": MARGIN,
            "column": COLUMN,
            "padding": PADDING,
        });
        write!(out, "],\n\"rest\":{rest}}}")
    }

    fn frame(&self, id: FrameId, out: &mut dyn Write) -> io::Result<()> {
        let frame = self.frames.get(id);
        let kind = KINDS.iter().find(|row| row.0 == frame.kind).map_or("", |row| row.2);
        write!(out, "[{},{},{}", json(name::of(frame))?, json(&name::place(frame))?, json(kind)?)?;
        if let Some(row) = self.compared.and_then(|compared| compared.row(id)) {
            let change = row.total_change;
            let [low, high] = change.interval.map_or([None, None], |(low, high)| [Some(low), Some(high)]);
            let ends = [low, high].map(|end| end.filter(|end| end.is_finite()).map_or("null".to_owned(), number));
            write!(out, ",{},{},{}", number(change.value), ends[0], ends[1])?;
        }
        write!(out, "]")
    }
}

/// JSON that is valid XML.
fn json(text: &str) -> io::Result<String> {
    let text = serde_json::to_string(&name::clean(text))?;
    Ok(text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
}

//! The script's data: one JSON document that cannot end the element around it.

use std::collections::HashMap;
use std::io::{self, Write};

use super::colour::KINDS;
use super::compared::Moved;
use super::name;
use super::picture::{COLUMN, HEAD, LEVEL, MARGIN, PADDING, Picture, number};
use crate::frame::FrameId;

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
            "scale": amounts.scale.as_str(),
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

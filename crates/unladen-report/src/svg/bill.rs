//! The picture of a bill: the CPU of each kind as an area.

use unladen_document::BillDocument;
use unladen_quantity::{percent, treemap};

use super::draw::{self, GREY, text};

const TOP: f64 = 40.0;
const HEIGHT: f64 = 420.0;
/// Areas; the rest is one more.
const MOST: usize = 16;
/// Least sizes of an area that has its name in it.
const NAMED: (f64, f64) = (70.0, 30.0);

pub(super) fn bill(result: &BillDocument, body: &mut String) -> f64 {
    text(draw::MARGIN, 24.0, "start", "#000", &result.target, body);
    let mut parts: Vec<(String, f64)> =
        result.kinds.iter().take(MOST).map(|kind| (kind.kind.clone(), kind.cpu_share.value.max(0.0))).collect();
    let rest: f64 = result.kinds.iter().skip(MOST).map(|kind| kind.cpu_share.value.max(0.0)).sum();
    if rest > 0.0 {
        parts.push(("all others".to_owned(), rest));
    }
    parts.retain(|(_, share)| *share > 0.0);
    let shares: Vec<f64> = parts.iter().map(|(_, share)| *share).collect();
    let whole = [draw::MARGIN, TOP, draw::WIDTH - 2.0 * draw::MARGIN, HEIGHT];
    for ((name, share), [x, y, width, height]) in parts.iter().zip(treemap(&shares, whole)) {
        body.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{GREY}\" fill-opacity=\"0.25\" \
             stroke=\"#fff\" stroke-width=\"2\"/>\n"
        ));
        if width >= NAMED.0 && height >= NAMED.1 {
            let room = (width / 8.6) as usize;
            let shown: String = match name.chars().count() > room {
                true => name.chars().take(room.saturating_sub(1)).chain(['…']).collect(),
                false => name.clone(),
            };
            text(x + 5.0, y + 15.0, "start", "#000", &shown, body);
            text(x + 5.0, y + 29.0, "start", "#000", &format!("{} %", percent(*share)), body);
        }
    }
    TOP + HEIGHT
}

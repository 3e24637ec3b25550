//! What each request repeats, as bars: each finding's part of the request, with its interval.

use unladen_document::Finding;
use unladen_quantity::grouped;

use super::draw::{GREY, LINE, MARGIN, WIDTH, lines, text};
use crate::inside::Inside;

/// Start of the bars, which lie below the rules' names.
const LEFT: f64 = MARGIN;
const RIGHT: f64 = 190.0;
const ROW: f64 = 22.0;
const BAR_FILL: &str = "#d55e00";

/// Returns the height.
pub(super) fn inside(pages: &[Inside], body: &mut String) -> f64 {
    pages.iter().fold(MARGIN, |y, page| page_findings(page, y, body))
}

/// Draws below `y`, and returns where it ends.
pub(super) fn page_findings(page: &Inside, mut y: f64, body: &mut String) -> f64 {
    if page.findings.is_empty() && page.not_judged.is_empty() {
        return y;
    }
    y = lines(MARGIN, y + 14.0, "#000", &format!("What each request of {} carries", page.url), body);
    for finding in &page.findings {
        y = row(finding, y, body);
    }
    for part in &page.not_judged {
        let line = format!("Not judged: {}: {}", part.what, part.why);
        y = lines(MARGIN, y + 6.0, GREY, &line, body);
    }
    y
}

/// Draws below `y`, and returns where it ends.
fn row(finding: &Finding, y: f64, body: &mut String) -> f64 {
    let y = lines(LEFT, y + 8.0, "#000", &finding.rule, body) - LINE + 6.0;
    let middle = y + ROW / 2.0;
    let label = match (finding.share.known_part(), finding.share.of.as_deref()) {
        (Some((_, part)), Some(of)) => {
            let scale = WIDTH - LEFT - RIGHT;
            let at = |part: f64| LEFT + if part.is_finite() { part.clamp(0.0, 1.0) * scale } else { 0.0 };
            let (value, low, high) = (at(part.value), at(part.low), at(part.high));
            body.push_str(&format!(
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" fill=\"{BAR_FILL}\"/>\n",
                middle - 7.0,
                value - LEFT
            ));
            body.push_str(&format!(
                "<path d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {top:.1}v8M{high:.1} {top:.1}v8\" stroke=\"#000\" stroke-width=\"1.5\" fill=\"none\"/>\n",
                top = middle - 4.0
            ));
            let of = if of == "cpu" { "CPU" } else { "latency" };
            text(
                high.max(value) + 10.0,
                middle + 5.0,
                "start",
                "#000",
                &format!("takes {} % of the {of}", grouped(part.value * 100.0, 1)),
                body,
            );
            None
        }
        (_, Some(_)) => Some("nearly all"),
        (_, None) => Some("part not known"),
    };
    if let Some(label) = label {
        text(LEFT, middle + 5.0, "start", GREY, label, body);
    }
    lines(LEFT, middle + 26.0, GREY, &finding.summary, body)
}

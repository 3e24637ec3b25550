//! What each request repeats, as bars: each finding's part of the request, with its interval.

use unladen_finding::{Finding, Share, Whole};
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
    let findings: Vec<&Finding> = page.all_findings().collect();
    if findings.is_empty() && page.unjudged.is_empty() {
        return y;
    }
    y = lines(MARGIN, y + 14.0, "#000", &format!("What each request of {} carries", page.url), body);
    for finding in findings {
        y = row(finding, y, body);
    }
    for unjudged in &page.unjudged {
        let line = format!("Not judged: {}: {}", unjudged.what, unjudged.why);
        y = lines(MARGIN, y + 6.0, GREY, &line, body);
    }
    y
}

/// Draws below `y`, and returns where it ends.
fn row(finding: &Finding, y: f64, body: &mut String) -> f64 {
    let y = lines(LEFT, y + 8.0, "#000", finding.rule, body) - LINE + 6.0;
    let middle = y + ROW / 2.0;
    let label = match &finding.takes {
        Share::Known { of, part, .. } => {
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
            let of = match of {
                Whole::Latency => "latency",
                Whole::Cpu => "CPU",
            };
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
        Share::NearlyAll(_) => Some("nearly all"),
        Share::NotKnown(_) => Some("part not known"),
    };
    if let Some(label) = label {
        text(LEFT, middle + 5.0, "start", GREY, label, body);
    }
    lines(LEFT, middle + 26.0, GREY, &finding.summary, body)
}

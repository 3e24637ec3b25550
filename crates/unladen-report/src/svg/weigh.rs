//! Weights as bars with their intervals, and some phases of the run, which show what follows the requests and what does
//! not.

use unladen_document::{Finding, Weight};
use unladen_quantity::{Kind, Quantity, between, grouped};

use super::draw::{GREY, LINE, MARGIN, WIDTH, lines, text};
use crate::inside::Inside;
use crate::weigh::{PhaseTrace, Weigh, WeighedPage};

/// Start of the bars, which lie below the names of groups and rules.
const LEFT: f64 = MARGIN;
/// Room for the figures to the right of the bars.
const RIGHT: f64 = 160.0;
const ROW: f64 = 24.0;
const TRACE_HEIGHT: f64 = 64.0;
const MOST_GROUPS: usize = 6;

const BAR_FILL: &str = "#3a7ca5";
const ON_FILL: &str = "#f2c14e";

/// Room for what is said to the right of a finding's bar.
const BESIDE: f64 = 190.0;
const FINDING_ROW: f64 = 22.0;
const FINDING_FILL: &str = "#d55e00";

/// Returns the height.
pub(super) fn weigh(result: &Weigh, body: &mut String) -> f64 {
    let mut y = MARGIN;
    for page in &result.pages {
        y = weights(page, y, body);
        y = trace(&page.trace, y, body);
        if let Some(inside) = &page.inside {
            y = page_findings(inside, y + MARGIN, body);
        }
    }
    y
}

fn weights(page: &WeighedPage, mut y: f64, body: &mut String) -> f64 {
    let mut rows: Vec<&Weight> = page.following().filter(|row| row.counter == "cpu").collect();
    rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    rows.truncate(MOST_GROUPS);
    let heading = format!("CPU per request of {}, with 95 % intervals", page.url.name);
    y = lines(MARGIN, y + 14.0, "#000", &heading, body);
    let most = rows.iter().map(|row| row.high).fold(1.0, f64::max);
    let scale = (WIDTH - LEFT - RIGHT) / most;
    for row in rows {
        y = lines(LEFT, y + 6.0, GREY, &row.group, body) - LINE + 6.0;
        let middle = y + ROW / 2.0;
        let (value, low, high) = (row.per_request, row.low.max(0.0), row.high);
        body.push_str(&format!(
            "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{BAR_FILL}\"/>\n",
            y + 3.0,
            value * scale,
            ROW - 6.0
        ));
        let (x1, x2) = (LEFT + low * scale, LEFT + high * scale);
        body.push_str(&format!(
            "<path d=\"M{x1:.1} {middle:.1}H{x2:.1}M{x1:.1} {top:.1}v8M{x2:.1} {top:.1}v8\" stroke=\"#000\" stroke-width=\"1.5\" fill=\"none\"/>\n",
            top = middle - 4.0
        ));
        let quantity = Quantity { kind: Kind::Time, value, margin: row.span().margin() };
        text(x2 + 10.0, middle + 5.0, "start", "#000", &quantity.to_string(), body);
        y += ROW + LINE;
    }
    for (group, row) in page.untold() {
        let said = row.map_or("none seen".to_owned(), |row| between(Kind::of_unit(&row.unit), row.low, row.high));
        y = lines(LEFT, y + 6.0, "#000", group, body);
        let said = format!("on the path; {said}, not distinguishable from its other work");
        y = lines(LEFT, y + 2.0, GREY, &said, body) + 4.0;
    }
    y
}

/// Processors used by each group per phase; phases with requests are shaded.
fn trace(trace: &[PhaseTrace], mut y: f64, body: &mut String) -> f64 {
    let groups: Vec<String> =
        trace.first().map(|phase| phase.cpu.iter().map(|(name, _)| name.clone()).collect()).unwrap_or_default();
    let (Some(first), Some(last)) = (trace.first(), trace.last()) else { return y };
    let begin = first.start.as_secs_f64();
    let seconds = (last.start + last.length).as_secs_f64() - begin;
    if seconds <= 0.0 {
        return y;
    }
    let heading = "The same, phase by phase: processors used; requests run in the shaded phases";
    y = lines(MARGIN, y + LINE, "#000", heading, body);
    let scale = (WIDTH - LEFT - MARGIN) / seconds;
    let x = |at: f64| LEFT + (at - begin) * scale;
    for (index, group) in groups.iter().enumerate().take(MOST_GROUPS) {
        let name = format!("{group}, up to {most:.2}", most = most_of(trace, index));
        y = lines(LEFT, y + 6.0, GREY, &name, body) - LINE + 8.0;
        let bottom = y + TRACE_HEIGHT;
        let most = most_of(trace, index);
        for phase in trace.iter().filter(|phase| phase.is_on) {
            body.push_str(&format!(
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{TRACE_HEIGHT}\" fill=\"{ON_FILL}\" fill-opacity=\"0.35\"/>\n",
                x(phase.start.as_secs_f64()),
                phase.length.as_secs_f64() * scale
            ));
        }
        body.push_str(&format!(
            "<path d=\"{}\" stroke=\"{BAR_FILL}\" stroke-width=\"2\" fill=\"none\"/>\n",
            steps(trace, index, x, bottom, (TRACE_HEIGHT - 8.0) / most)
        ));
        body.push_str(&format!("<path d=\"M{LEFT} {bottom:.1}H{:.1}\" stroke=\"#000\"/>\n", WIDTH - MARGIN));
        y = bottom + 18.0;
    }
    text(WIDTH - MARGIN, y + 4.0, "end", GREY, &format!("{seconds:.1} s"), body);
    y + ROW
}

/// Maximum processors that the group with this index used.
fn most_of(trace: &[PhaseTrace], index: usize) -> f64 {
    trace.iter().filter_map(|phase| phase.cpu.get(index)).map(|(_, used)| *used).fold(0.001, f64::max)
}

fn steps(trace: &[PhaseTrace], group: usize, x: impl Fn(f64) -> f64, bottom: f64, scale: f64) -> String {
    let mut path = String::new();
    for phase in trace {
        let used = phase.cpu.get(group).map_or(0.0, |(_, used)| *used);
        let (from, to) = (phase.start.as_secs_f64(), (phase.start + phase.length).as_secs_f64());
        let command = if path.is_empty() { 'M' } else { 'L' };
        path.push_str(&format!(
            "{command}{:.1} {level:.1}L{:.1} {level:.1}",
            x(from),
            x(to),
            level = bottom - used * scale
        ));
    }
    path
}

/// What each request repeats: each finding's part of the request, with its interval. Returns the height.
pub(super) fn inside(pages: &[Inside], body: &mut String) -> f64 {
    pages.iter().fold(MARGIN, |y, page| page_findings(page, y, body))
}

/// Draws below `y`, and returns where it ends.
fn page_findings(page: &Inside, mut y: f64, body: &mut String) -> f64 {
    if page.findings.is_empty() && page.not_judged.is_empty() {
        return y;
    }
    y = lines(MARGIN, y + 14.0, "#000", &format!("What each request of {} carries", page.url), body);
    for finding in &page.findings {
        y = finding_row(finding, y, body);
    }
    for part in &page.not_judged {
        let line = format!("Not judged: {}: {}", part.what, part.why);
        y = lines(MARGIN, y + 6.0, GREY, &line, body);
    }
    y
}

/// Draws below `y`, and returns where it ends.
fn finding_row(finding: &Finding, y: f64, body: &mut String) -> f64 {
    let y = lines(LEFT, y + 8.0, "#000", &finding.rule, body) - LINE + 6.0;
    let middle = y + FINDING_ROW / 2.0;
    let label = match (finding.share.known_part(), finding.share.of.as_deref()) {
        (Some((_, part)), Some(of)) => {
            let scale = WIDTH - LEFT - BESIDE;
            let at = |part: f64| LEFT + if part.is_finite() { part.clamp(0.0, 1.0) * scale } else { 0.0 };
            let (value, low, high) = (at(part.value), at(part.low), at(part.high));
            body.push_str(&format!(
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" fill=\"{FINDING_FILL}\"/>\n",
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
                &format!("costs {} % of the {of}", grouped(part.value * 100.0, 1)),
                body,
            );
            None
        }
        (_, Some(_)) => Some("nearly all"),
        (_, None) => Some("share unknown"),
    };
    if let Some(label) = label {
        text(LEFT, middle + 5.0, "start", GREY, label, body);
    }
    lines(LEFT, middle + 26.0, GREY, &finding.summary, body)
}

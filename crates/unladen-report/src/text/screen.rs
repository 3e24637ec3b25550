//! The first screen of `unladen weigh`: what a page costs, who spends it, and what to do about it. The rest is in
//! [`Style::details`].

use std::io::{self, Write};

use unladen_document::Finding;
use unladen_quantity::{Kind, between, grouped, plain};

use super::figure::{bar, rates};
use super::gates::gates;
use super::inside::{costs, next_step, nothing_found, saves_at_most};
use super::prose::{aside, clean, cut_short, few, marked};
use super::table::{Grid, faint, strong, warn};
use super::weigh::{comparison, cpu_of, latency, left_behind, of, span, time_of};
use crate::inside::{FRESH, Inside};
use crate::style::{Edge, Style};
use crate::weigh::{Weigh, WeighedPage};

/// Lines of a terminal that nobody has enlarged, without the prompt.
pub(super) const SCREEN: usize = 23;
/// Cells of the heaviest group's bar.
const BAR: usize = 24;
/// Lines of a finding's summary, and of its fix.
const SUMMARY: usize = 2;
/// Where the text of a finding begins.
const INDENT: usize = 4;
/// The rule of first requests of fresh processes, which takes a command that restarts them.
const COLD_START: &str = "cold-start";
/// Least width of a rule's name.
const RULE: usize = 12;

/// How much of what may be long is shown.
#[derive(Clone, Copy)]
struct Room {
    /// Rows of the table.
    groups: usize,
    warnings: usize,
    /// Of a warning, of a finding's summary, and of its fix.
    lines: usize,
}

/// The roomiest first.
const ROOMS: [Room; 3] = [
    Room { groups: 5, warnings: 2, lines: usize::MAX },
    Room { groups: 4, warnings: 2, lines: 2 },
    Room { groups: 2, warnings: 1, lines: 1 },
];

pub(super) fn screen(result: &Weigh, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let most = SCREEN * result.pages.len().max(1);
    let mut shown = String::new();
    for room in ROOMS {
        shown = part(style, |out| in_room(result, room, style, out))?;
        if lines(&shown) <= most {
            break;
        }
    }
    out.verbatim(&shown)
}

fn in_room(result: &Weigh, room: Room, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let mut told = 0;
    let below = part(style, |out| rest(result, room, style, out))?;
    for page in &result.pages {
        let top = part(style, |out| answer_first(page, result, room, style, out))?;
        out.verbatim(&top)?;
        if let Some(seen) = &page.inside {
            let left = SCREEN.saturating_sub(lines(&top) + lines(&below));
            found(seen, &mut told, left, room.lines, style, out)?;
        }
    }
    if result.pages.len() > 1 {
        comparison(&result.pages, style, out)?;
    }
    out.verbatim(&below)
}

/// The findings of earlier evidence.
pub(super) fn evidence(pages: &[Inside], style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let mut told = 0;
    for page in pages {
        writeln!(out, "{}\n", style.heading(&clean(&page.url)))?;
        found(page, &mut told, SCREEN.saturating_sub(3), SUMMARY, style, out)?;
    }
    aside("All counts, and each fix in full: --details", style, out)
}

/// A part of the screen, for its lines.
pub(super) fn part(style: Style, write: impl FnOnce(&mut Edge<'_>) -> io::Result<()>) -> io::Result<String> {
    let mut bytes = Vec::new();
    write(&mut Edge::new(&mut bytes, style.ascii))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn lines(text: &str) -> usize {
    text.matches('\n').count()
}

/// What to know before believing it, and where the rest is.
fn rest(result: &Weigh, room: Room, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    for left in result.run.left_behind.iter().flatten() {
        marked(&left_behind(left), room.lines, style, out)?;
    }
    gates(&result.run.gates, style, out)?;
    let warnings = &result.run.warnings;
    warnings.iter().take(room.warnings).try_for_each(|warning| marked(warning, room.lines, style, out))?;
    let more = match warnings.len().saturating_sub(room.warnings) {
        0 => String::new(),
        1 => " and 1 more warning".to_owned(),
        more => format!(" and {more} more warnings"),
    };
    aside(&format!("± is the 95 % interval. All counters and latencies, each fix in full{more}: --details"), style, out)
}

/// What the page is, what it costs, and who spends it.
fn answer_first(page: &WeighedPage, result: &Weigh, room: Room, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.heading(&clean(&page.url.name)))?;
    if let Some(came) = &page.url.answer {
        aside(&came.told(), style, out)?;
        came.doubts.iter().try_for_each(|doubt| marked(doubt, room.lines, style, out))?;
    }
    cut_short(&result.run.ended, "a request failed", "blocks", style, out)?;
    let url = &page.url;
    let mut said = Vec::new();
    if let Some(total) = url.total_cpu_ns {
        said.push(format!("{} of CPU per request", time_of(total)));
    }
    if let Some(latency) = latency(page) {
        let of = |name: &str| latency.quantiles.iter().find(|quantile| quantile.name == name);
        let shown = [("p50", "median"), ("p95", "p95")].into_iter().filter_map(|(name, word)| {
            let quantile = of(name)?;
            let ends = quantile.interval?;
            let ends = format!(" ({})", between(Kind::Time, ends.low as f64, ends.high as f64));
            Some(format!("{word} {}{ends}", plain(Kind::Time, quantile.value as f64)))
        });
        said.extend(shown);
    }
    said.extend(url.requests_per_core_second.map(|most| format!("one core serves at most {}/s", rates(most))));
    if !said.is_empty() {
        for line in few(&said.join("; "), usize::from(style.width), usize::MAX, style) {
            writeln!(out, "{}", style.strong(&line))?;
        }
    }
    writeln!(out)?;
    groups(page, room.groups, style, out)
}

/// Who spends the CPU; those on the path that noise hides.
fn groups(page: &WeighedPage, most: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (rows, untold) = (cpu_of(page), page.untold().collect::<Vec<_>>());
    let mut table = Grid::new(&["CPU per request", "", "", "± 95 %", ""]).expendable(&[1]);
    let heaviest = rows.iter().map(|row| row.per_request).fold(0.0, f64::max);
    // One at least is shown, so that nobody takes the others for all.
    let unclear = most.saturating_sub(rows.len()).max(1).min(untold.len());
    let most = most - unclear;
    for row in rows.iter().take(most) {
        let quantity = of(row);
        let share = row.share.map(|share| format!("{:.0} %", share.value * 100.0)).unwrap_or_default();
        let name = if row.invalid { warn(&format!("{} !", row.group)) } else { row.group.clone() };
        let bar = bar(row.per_request, heaviest, BAR);
        table.row([name, bar, strong(&quantity.value_text()), quantity.margin_text(), share]);
    }
    for (group, row) in untold.iter().take(unclear) {
        let seen = row.map_or("none seen".to_owned(), span);
        table.row([(*group).to_owned(), String::new(), seen, faint("unclear"), String::new()]);
    }
    if rows.is_empty() && untold.is_empty() {
        return aside("No group's CPU stands out from the machine's other work: measure longer (-t 2min).", style, out)
            .and_then(|()| writeln!(out));
    }
    match rows.len().saturating_sub(most) + untold.len().saturating_sub(unclear) {
        0 => {}
        1 => table.row(["and 1 more group".to_owned()]),
        more => table.row([format!("and {more} more groups")]),
    }
    table.write(style, out)
}

/// Findings in full as far as there is room, but for one at least; further ones in a line each, and then their number.
/// `most` lines are for a summary, and for a fix.
fn found(
    inside: &Inside,
    told: &mut usize,
    room: usize,
    most: usize,
    style: Style,
    out: &mut Edge<'_>,
) -> io::Result<()> {
    let below = part(style, |out| not_found(inside, most, style, out))?;
    let heading = match inside.findings.len() {
        0 => nothing_found(inside).to_owned(),
        1 => "1 thing to fix".to_owned(),
        count => format!("{count} things to fix"),
    };
    let numbers = (*told + 1..).zip(&inside.findings).filter(|(_, finding)| finding.is_switchable());
    let numbers: Vec<String> = numbers.map(|(number, _)| number.to_string()).collect();
    let way = match (style.fix, numbers.split_last()) {
        (None, _) | (_, None) => String::new(),
        (Some(fix), Some((only, []))) => format!("; `{fix} {only}` applies number {only}, and proves it"),
        (Some(fix), Some((last, others))) => {
            format!("; `{fix} N` applies {} or {last}, and proves it", others.join(", "))
        }
    };
    let whole = few(&format!("{heading}{way}"), usize::from(style.width), SUMMARY, style);
    for line in &whole {
        match line.strip_prefix(&heading) {
            Some(way) => writeln!(out, "{}{way}", style.heading(&heading))?,
            None => writeln!(out, "{line}")?,
        }
    }
    // The heading, and the empty line below.
    let mut left = room.saturating_sub(lines(&below) + whole.len() + 1);
    for (index, finding) in inside.findings.iter().enumerate() {
        let number = *told + index + 1;
        // Those that follow take a line each.
        let rest = inside.findings.len() - index - 1;
        let is_in_full = index == 0 || shortened(finding, number, true, most, style).len() + rest <= left;
        if index > 0 && left <= 1 && rest > 0 {
            let mut rules: Vec<&str> = inside.findings[index..].iter().map(|finding| finding.rule.as_str()).collect();
            let count = rules.len();
            rules.dedup();
            let more = format!("and {count}: {}; `unladen fix` lists them", rules.join(", "));
            let most = usize::from(style.width).saturating_sub(INDENT);
            few(&clean(&more), most, 1, style).iter().try_for_each(|line| writeln!(out, "{:INDENT$}{line}", ""))?;
            break;
        }
        let shown = shortened(finding, number, is_in_full, most, style);
        left = left.saturating_sub(shown.len());
        shown.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    *told += inside.findings.len();
    writeln!(out)?;
    out.verbatim(&below)
}

/// What has no finding, and why.
fn not_found(inside: &Inside, most: usize, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    if let Some(step) = &inside.next_step {
        next_step(step, most, style, out)?;
    }
    not_whole(inside).map_or(Ok(()), |missing| marked(&missing, most.max(2), style, out))
}

/// Why no finding does not mean no waste.
fn not_whole(inside: &Inside) -> Option<String> {
    // That first requests are looked at only on demand is no news where there is something to do.
    let is_news = |rules: &[String]| inside.findings.is_empty() || rules != [COLD_START];
    let missing: Vec<_> = inside.not_looked_for.iter().filter(|missing| is_news(&missing.rules)).collect();
    let rules: usize = missing.iter().map(|missing| missing.rules.len()).sum();
    let mut said = Vec::new();
    // The reason of the others may be long.
    match inside.not_judged.as_slice() {
        [] => {}
        [only] => said.push(format!("{} could not be judged", only.what)),
        [first, rest @ ..] => said.push(format!("{} and {} more could not be judged", first.what, rest.len())),
    }
    if let Some(first) = missing.first() {
        let takes = if first.takes.is_empty() { first.why.clone() } else { format!("needs {}", first.takes) };
        let rules = if rules == 1 { "1 rule".to_owned() } else { format!("{rules} rules") };
        said.push(format!("{rules} could not look ({takes})"));
    }
    if inside.lost > 0 {
        said.push(format!("{} events were lost", grouped(inside.lost as f64, 0)));
    }
    (!said.is_empty()).then(|| format!("Not everything was examined: {}.", said.join("; ")))
}

/// The cost, what it is, and how to have it fixed.
fn in_full(finding: &Finding, number: usize, most: usize, style: Style) -> Vec<String> {
    let most = most.min(SUMMARY);
    let is_fresh = finding.state == FRESH && !finding.summary.contains("first request");
    let fresh = if is_fresh { " (in the first request of a process)" } else { "" };
    let mut lines = named(finding, &costs(finding), number, most, style);
    let mut below = |text: &str, most: usize| {
        let room = usize::from(style.width).saturating_sub(INDENT);
        lines.extend(few(&clean(text), room, most, style).iter().map(|line| format!("{:INDENT$}{line}", "")));
    };
    // Which host it is on decides where the fix goes.
    let by = finding.host.as_ref().map(|_| format!(", by {}", finding.group)).unwrap_or_default();
    below(&format!("{}{by}{fresh}", finding.summary), most);
    below(&format!("fix: {}", finding.fix.advice), most);
    let bound = saves_at_most(finding).map(|bound| format!("saves {bound}"));
    if let Some(fix) = style.fix.filter(|_| finding.is_switchable()) {
        let bound = bound.map(|bound| format!("   ({bound})")).unwrap_or_default();
        lines.push(format!("{:INDENT$}{}{bound}", "", style.heading(&format!("{fix} {number}"))));
    } else if let Some(bound) = bound {
        below(&bound, 1);
    }
    lines
}

/// In full, or in a line.
pub(super) fn shortened(finding: &Finding, number: usize, in_full: bool, most: usize, style: Style) -> Vec<String> {
    match in_full {
        true => self::in_full(finding, number, most, style),
        false => named(finding, &finding.summary, number, 1, style),
    }
}

/// ` 1  stat-storm  costs 2.10 ms …`
fn named(finding: &Finding, text: &str, number: usize, most: usize, style: Style) -> Vec<String> {
    let room = usize::from(style.width).saturating_sub(INDENT);
    let lines = few(&clean(&format!("{:<RULE$}  {text}", finding.rule)), room, most, style);
    let first = |line: &str| match line.strip_prefix(&finding.rule) {
        Some(rest) => format!("{number:>2}  {}{rest}", style.strong(&finding.rule)),
        None => format!("{number:>2}  {line}"),
    };
    let each = |(index, line): (usize, &String)| match index {
        0 => first(line).trim_end().to_owned(),
        _ => format!("{:INDENT$}{line}", ""),
    };
    lines.iter().enumerate().map(each).collect()
}

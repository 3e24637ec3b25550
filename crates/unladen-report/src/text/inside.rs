//! What each request repeats: the counts, and the findings with their fixes.

use std::io::{self, Write};

use unladen_document::{Count, EvidenceItem, Finding, NextStep, NotJudged, NotLookedFor, Removes, Span, Statement};
use unladen_quantity::{Kind, Quantity, between, grouped, plain};
use unladen_trace::Total;

use super::prose::{aside, clean, fill, filled, marked, remarks};
use super::table::{Grid, side_by_side};
use crate::inside::{FRESH, Fresh, Inside, WARM};
use crate::style::Edge;
use crate::style::Style;

/// Maximum number of groups side by side.
const COLUMNS: usize = 3;
const STATEMENTS: usize = 3;
/// Width of the other columns of the statements' table, with gaps.
const STATEMENT_COLUMNS: usize = 36;
/// Maximum number of listed parts of a finding.
const ITEMS: usize = 5;
/// Column where a finding's text begins.
const INDENT: usize = 24;
/// Minimum width, whatever the terminal.
const NARROWEST: usize = 30;

/// `told` are the findings of the pages before, in the order of their numbers.
pub(super) fn inside<'a>(
    inside: &'a Inside,
    told: &mut Vec<&'a Finding>,
    style: Style,
    out: &mut Edge<'_>,
) -> io::Result<()> {
    let before = told.len();
    let is_counted = inside.counts.iter().any(|count| count.state == WARM);
    totals(inside, WARM, "counted, per request", style, out)?;
    // Documents of earlier versions do not have the number.
    if is_counted && inside.requests > 0 {
        let from = format!("from {} traced requests, after the timing was done", grouped(inside.requests as f64, 0));
        aside(&from, style, out)?;
        writeln!(out)?;
    }
    if inside.lost > 0 {
        let lost = grouped(inside.lost as f64, 0);
        let low = "counts marked !, such as files, queries and connections, are too low";
        remarks([format!("{lost} events were lost: {low}.")], style, out)?;
    }
    statements(&inside.statements, style, out)?;
    let of_state = |state: &'static str| inside.findings.iter().filter(move |finding| finding.state == state);
    findings(of_state(WARM), "what to fix", told, CheckAgain::Fix, style, out)?;
    if let Some(fresh) = &inside.fresh {
        totals(inside, FRESH, "counted, first request of a fresh process", style, out)?;
        first_requests(fresh, style, out)?;
        findings(
            of_state(FRESH),
            "what to fix in the first request of a fresh process",
            told,
            CheckAgain::Fix,
            style,
            out,
        )?;
    }
    if told.len() == before {
        writeln!(out, "{}\n", style.heading(nothing_found(inside)))?;
    }
    if let Some(step) = &inside.next_step {
        next_step(step, usize::MAX, style, out)?;
        writeln!(out)?;
    }
    remarks(inside.not_judged.iter().map(not_judged), style, out)?;
    remarks(inside.not_looked_for.iter().map(not_looked), style, out)
}

/// No findings is a claim, which does not hold for a path that was examined in part.
pub(super) fn nothing_found(inside: &Inside) -> &'static str {
    if inside.is_whole() {
        "no finding: the rules found no waste"
    } else if !inside.counts.iter().any(|count| count.state == WARM) {
        "nothing found in the page's answers; the rest was not judged"
    } else {
        "nothing found, but not everything could be judged"
    }
}

/// Database time per statement; the texts take the width that the columns leave.
fn statements(rows: &[Statement], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let shown = &rows[..rows.len().min(STATEMENTS)];
    let width = usize::from(style.width).saturating_sub(STATEMENT_COLUMNS).max(NARROWEST);
    let mut table = Grid::new(&["the database's time, per request", "statements", "waited for"]);
    for row in shown {
        let text = clean(&row.statement);
        let text = match text.char_indices().nth(width) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        table.row([text, quantity(Kind::Count, row.calls), quantity(Kind::Time, row.time_ns)]);
    }
    table.write(style, out)
}

/// `most` lines say why.
pub(super) fn next_step(step: &NextStep, most: usize, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    marked(&format!("{}. This shows where:", step.why), most, style, out)?;
    copied("    ", &step.command, out)
}

fn first_requests(fresh: &Fresh, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let latency =
        fresh.latency.map(|latency| format!(", taking {}", quantity(Kind::Time, latency))).unwrap_or_default();
    if fresh.requests > 0 {
        let from = format!("{} first requests, each after `{}`{latency}", fresh.requests, clean(&fresh.restart));
        aside(&from, style, out)?;
    }
    writeln!(out)
}

/// A count that has a title is for people.
struct Titled<'a> {
    title: &'static str,
    count: &'a Count,
}

/// Counts of the requests in this state; those from which lost events are missing are marked.
fn totals(inside: &Inside, state: &str, heading: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let of_state = inside.counts.iter().filter(|count| count.state == state);
    let shown: Vec<Titled<'_>> =
        of_state.filter_map(|count| Some(Titled { title: Total::title_of(&count.counter)?, count })).collect();
    let mut groups: Vec<&str> = Vec::new();
    for Titled { count, .. } in &shown {
        if !groups.contains(&count.group.as_str()) {
            groups.push(&count.group);
        }
    }
    let table = |groups: &[&str], heading: &str| {
        let mut headings = vec![heading];
        headings.extend(groups);
        let mut table = Grid::new(&headings);
        for title in titles(&shown, groups) {
            let of = |group: &&str| shown.iter().find(|row| row.count.group == *group && row.title == title);
            let mut cells = vec![title.to_owned()];
            cells.extend(groups.iter().map(|group| of(group).map_or("·".into(), |row| counted(row.count))));
            table.row(cells);
        }
        table
    };
    let mut tables = side_by_side(&groups, COLUMNS, style, |groups| table(groups, heading));
    if !tables.iter().all(|table| table.fits(style)) {
        // A line of its own above the tables takes no column.
        writeln!(out, "{}", style.heading(heading))?;
        tables = side_by_side(&groups, COLUMNS, style, |groups| table(groups, ""));
    }
    tables.iter().try_for_each(|table| table.write(style, out))
}

fn counted(count: &Count) -> String {
    let mark = if count.invalid { " !" } else { "" };
    let span = Span { value: count.per_request, low: count.low, high: count.high };
    format!("{}{mark}", quantity(Kind::Count, span))
}

/// Titles that any group has, in the order of tables.
fn titles(rows: &[Titled<'_>], groups: &[&str]) -> Vec<&'static str> {
    let mut titles: Vec<(usize, &'static str)> = Vec::new();
    for group in groups {
        let of_group = rows.iter().filter(|row| row.count.group == *group);
        for Titled { title, .. } in of_group {
            let (place, title) = (Total::place(title), *title);
            if !titles.contains(&(place, title)) {
                titles.push((place, title));
            }
        }
    }
    titles.sort_unstable();
    titles.into_iter().map(|(_, title)| title).collect()
}

/// How the check of a fix is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckAgain {
    /// `unladen fix N` has the experiment: it is that of a run of `unladen weigh`.
    Fix,
    /// With the text of its experiment.
    InFull,
}

/// `told` are the findings shown before, in the order of their numbers.
pub(super) fn findings<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    heading: &str,
    told: &mut Vec<&'a Finding>,
    check_again: CheckAgain,
    style: Style,
    out: &mut Edge<'_>,
) -> io::Result<()> {
    let mut findings = findings.peekable();
    if findings.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "{}", style.heading(heading))?;
    for finding in findings {
        one(finding, told, check_again, style, out)?;
        told.push(finding);
    }
    writeln!(out)
}

fn lines(file: Option<&str>, lines: &[String], style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    if let Some(file) = file.filter(|_| !lines.is_empty()) {
        for line in filled(&clean(&format!("into {file}:")), room(style)) {
            copied(&blank(), line.trim_end(), out)?;
        }
    }
    for line in lines {
        copied(&format!("{}    ", blank()), line, out)?;
    }
    Ok(())
}

fn one(
    finding: &Finding,
    told: &[&Finding],
    check_again: CheckAgain,
    style: Style,
    out: &mut Edge<'_>,
) -> io::Result<()> {
    let number = told.len() + 1;
    // A long name needs a blank after it too.
    let rule = format!("{:<width$}", format!("{} ", finding.rule), width = INDENT - 4);
    let summary = if finding.group.is_empty() {
        finding.summary.clone()
    } else {
        format!("{}, by {}", finding.summary, finding.group)
    };
    hanging(&format!("{number:<3} {}", style.strong(&rule)), &summary, style, out)?;
    for line in takes_and_saves(finding) {
        hanging(&blank(), &line, style, out)?;
    }
    let of = &finding.evidence.items;
    if !of.is_empty() {
        hanging(&blank(), &items(of), style, out)?;
    }
    let fix = &finding.fix;
    // Repeating the same lines would only be longer.
    let same = |other: &&&Finding| {
        let [one, other] = [fix, &other.fix].map(|fix| (&fix.file, &fix.lines, &fix.also));
        one == other
    };
    let before = told.iter().position(|other| same(&other)).filter(|_| !fix.lines.is_empty());
    hanging(&label("fix", style), &fix.advice, style, out)?;
    if let Some(before) = before {
        return hanging(&blank(), &format!("the lines and the check are the same as for {}", before + 1), style, out);
    }
    lines(fix.file.as_deref(), &fix.lines, style, out)?;
    for part in &fix.also {
        lines(Some(&part.file), &part.lines, style, out)?;
    }
    if let Some(host) = finding.host.as_ref().filter(|_| !fix.commands.is_empty()) {
        hanging(&blank(), &format!("run on {host}:"), style, out)?;
    }
    for command in &fix.commands {
        copied(&format!("{}    {} ", blank(), style.faint("$")), command, out)?;
    }
    if let Some(developers) = &fix.developers {
        hanging(&label("besides", style), developers, style, out)?;
    }
    let fix = style.fix.filter(|_| check_again == CheckAgain::Fix && finding.is_switchable());
    if let Some(fix) = fix {
        let way = format!("{fix} {number} (shows the change, asks, applies it, and proves it)");
        hanging(&label("check again", style), &way, style, out)?;
    } else if !finding.check_again.is_empty() {
        let mut lines = finding.check_again.lines();
        // A command to copy must not be broken: it would become two.
        copied(&label("check again", style), lines.next().unwrap_or_default(), out)?;
        for line in lines {
            copied(&format!("{}    ", blank()), line, out)?;
        }
    }
    Ok(())
}

/// A line to copy, with every character whatever the terminal shows.
fn copied(before: &str, line: &str, out: &mut Edge<'_>) -> io::Result<()> {
    write!(out, "{before}")?;
    out.verbatim(&clean(line))?;
    writeln!(out)
}

fn label(text: &str, style: Style) -> String {
    format!("    {}", style.faint(&format!("{text:<width$}", width = INDENT - 4)))
}

fn blank() -> String {
    " ".repeat(INDENT)
}

/// Width to the right of the indent.
fn room(style: Style) -> usize {
    usize::from(style.width).saturating_sub(INDENT).max(NARROWEST)
}

/// Wrapped text beside a label as wide as the indent.
fn hanging(label: &str, text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (index, line) in fill(&clean(text), room(style), style).iter().enumerate() {
        let before = if index == 0 { label.to_owned() } else { blank() };
        writeln!(out, "{}", format!("{before}{line}").trim_end())?;
    }
    Ok(())
}

/// `costs 2.1 ms (1.4 to 4.2 ms), 8.6 % of the latency (5.8 to 17)`
/// `the fix removes about 85 of 207 checks, and saves at most 1.1 ms, 4.5 % of the latency`
fn takes_and_saves(finding: &Finding) -> Vec<String> {
    let (share, saves) = (&finding.share, &finding.saves);
    let why = share.why.as_deref().unwrap_or_default();
    let untold = saves.why.as_deref().unwrap_or("an earlier version gave no bound");
    let removes = saves.removes.as_ref().map(|removes| format!("the fix removes {}", told(removes)));
    let bound = saves_at_most(finding);
    let takes = match (share.known_part(), &share.of) {
        (Some((_, part)), Some(_)) => {
            format!("{} ({} to {})", costs(finding), percent(part.low), percent(part.high))
        }
        (_, Some(_)) => format!("{}; {why}", costs(finding)),
        (_, None) if bound.is_none() && untold == why => {
            return vec![format!("its cost, and what the fix saves, are not known: {why}")];
        }
        (_, None) => format!("its cost is not known: {why}"),
    };
    let saves = match bound {
        Some(bound) => format!(
            "{} {bound}",
            removes.map_or_else(|| "the fix saves".to_owned(), |removes| format!("{removes}, and saves"))
        ),
        None => format!(
            "{}what the fix saves is not known: {untold}",
            removes.map_or_else(String::new, |removes| format!("{removes}; "))
        ),
    };
    vec![takes, saves]
}

/// `costs 2.1 ms (1.4 to 4.2 ms), 8.6 % of the latency`; empty if nothing is known.
pub(super) fn costs(finding: &Finding) -> String {
    match (finding.share.known_part(), &finding.share.of) {
        (Some((time, part)), Some(of)) => format!(
            "costs {} ({}), {} % of the {}",
            plain(Kind::Time, time.value),
            between(Kind::Time, time.low, time.high),
            percent(part.value),
            whole(of),
        ),
        (_, Some(_)) => "costs nearly all of the latency".to_owned(),
        (_, None) => String::new(),
    }
}

/// `at most 1.1 ms, 4.5 % of the latency`, if a bound is known.
pub(super) fn saves_at_most(finding: &Finding) -> Option<String> {
    let saves = &finding.saves;
    let ((of, time), part) = saves.of.as_deref().zip(finding.saves_at_most_ns).zip(saves.at_most)?;
    Some(format!("at most {}, {} % of the {}", plain(Kind::Time, time), percent(part), whole(of)))
}

/// `about 85 of 207 checks`
fn told(removes: &Removes) -> String {
    let count = |calls: f64| grouped(calls.round(), 0);
    format!("about {} of {} {}", count(removes.calls), count(removes.of), removes.what)
}

fn percent(part: f64) -> String {
    grouped(part * 100.0, usize::from(part.abs() < 0.1))
}

fn whole(of: &str) -> &'static str {
    if of == "cpu" { "CPU" } else { "latency" }
}

fn items(items: &[EvidenceItem]) -> String {
    let mut text: Vec<String> = items
        .iter()
        .take(ITEMS)
        .map(|item| format!("{} ({})", item.name, plain(Kind::Count, item.per_request)))
        .collect();
    if items.len() > ITEMS {
        text.push(format!("and {} more", items.len() - ITEMS));
    }
    text.join(", ")
}

fn not_judged(NotJudged { what, why, takes, .. }: &NotJudged) -> String {
    let takes = if takes.is_empty() { String::new() } else { format!("; it needs {takes}") };
    format!("Not judged: {what}: {why}{takes}.")
}

fn not_looked(missing: &NotLookedFor) -> String {
    let takes = if missing.takes.is_empty() { String::new() } else { format!("; it needs {}", missing.takes) };
    format!("Not checked: {}: {}{takes}.", missing.rules.join(", "), missing.why)
}

fn quantity(kind: Kind, span: Span) -> String {
    if span.margin() == 0.0 {
        return plain(kind, span.value);
    }
    Quantity { kind, value: span.value, margin: span.margin() }.to_string()
}

//! The result of `unladen profile`: the functions that take a request's time, and their callers.

use std::io::{self, Write};
use std::time::Duration;

use unladen_document::{Function, OpenNs, OpenSpan, ProfileDocument, ProfileSetup, Span, Written};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, Quantity, grouped, plain};

use super::figure::equal;
use super::inside::{CheckAgain, findings};
use super::prose::{answer, aside, clean, cut_short, dressed, fill, wrapped};
use super::screen::{SCREEN, lines, part, shortened};
use super::table::{Grid, faint, strong, width, written};
use crate::profile::{Profiled, TOP};
use crate::style::Edge;
use crate::style::Style;

pub(super) mod diff;

/// Maximum number of callers listed per function.
const CALLERS: usize = 3;
/// Fewest functions of the first screen, however many lines the rest of it takes.
const LEAST_LISTED: usize = 5;
/// Lines of a table beside its rows.
const LISTING_LINES: usize = 3;
/// Lines that findings take of the first screen.
const FINDING_LINES: usize = 4;
/// Notes on the first screen.
const NOTES: usize = 2;
const UNSEEN: &str = "no function was seen";
/// Shown if a function was never seen to take any.
const NOTHING: &str = "·";
/// Callers with less than this part of a function's time are omitted.
const LEAST_CALLER: f64 = 0.1;

pub(super) fn profile(result: &Profiled, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    if !style.details {
        return screen(result, style, out);
    }
    let document = &result.document;
    head(result, style, out)?;
    let [itself, with_calls] = titles(document);
    if document.functions.is_empty() {
        writeln!(out, "{}\n", style.heading(UNSEEN))?;
    } else {
        let most = result.top.unwrap_or(TOP);
        let rows = document.by_self();
        if !rows.is_empty() {
            let shown = table(&rows, &Listing { title: &itself, by_self: true, callers: true, most }, style, out)?;
            left_out(rows.len() - shown, style, out)?;
        }
        let rows = by_total(document);
        let shown = table(&rows, &Listing { title: &with_calls, by_self: false, callers: false, most }, style, out)?;
        left_out(rows.len() - shown, style, out)?;
    }
    findings(document.findings.iter(), "what to fix", &mut Vec::new(), CheckAgain::InFull, style, out)?;
    close(&document.notes, &document.written, style, out)
}

/// The functions that take the time themselves, what to do about it, and where the rest is.
fn screen(result: &Profiled, style: Style, out: &mut Edge<'_>) -> io::Result<()> {
    let document = &result.document;
    let top = part(style, |out| head(result, style, out))?;
    let below = part(style, |out| {
        let mut shown = Vec::new();
        let mut left = document.findings.len();
        for (index, finding) in document.findings.iter().enumerate() {
            if index == 0 || shown.len() < FINDING_LINES {
                shown.extend(shortened(finding, index + 1, index == 0, usize::MAX, style));
                left -= 1;
            }
        }
        shown.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        if !document.findings.is_empty() {
            writeln!(out)?;
        }
        close(&document.notes[..document.notes.len().min(NOTES)], &document.written, style, out)?;
        let left = if left == 0 { String::new() } else { format!(", {left} more findings") };
        aside(&format!("By total time, callers, each fix in full{left}: --details"), style, out)
    })?;
    out.verbatim(&top)?;
    let [itself, with_calls] = titles(document);
    let (rows, title, by_self) = match document.by_self() {
        rows if rows.is_empty() => (by_total(document), with_calls, false),
        rows => (rows, itself, true),
    };
    if rows.is_empty() {
        writeln!(out, "{}\n", style.heading(UNSEEN))?;
    } else {
        let room = SCREEN.saturating_sub(lines(&top) + lines(&below) + LISTING_LINES).max(LEAST_LISTED);
        let most = result.top.unwrap_or(room);
        table(&rows, &Listing { title: &title, by_self, callers: false, most }, style, out)?;
    }
    out.verbatim(&below)
}

fn by_total(document: &ProfileDocument) -> Vec<&Function> {
    let mut rows: Vec<&Function> = document.functions.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.total_weight));
    rows
}

fn head(result: &Profiled, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let document = &result.document;
    let requests = requests(document.requests);
    let Some(setup) = &document.setup else {
        let title = if document.target.is_empty() { "a profile" } else { &document.target };
        writeln!(out, "{}", style.heading(&clean(title)))?;
        let by = if document.profiler.is_empty() { String::new() } else { format!("by {}, ", document.profiler) };
        writeln!(out, "{}", style.faint(&clean(&format!("{by}{requests}"))))?;
        no_intervals(result, style, out)?;
        return writeln!(out);
    };
    writeln!(out, "{}", style.heading(&clean(&setup.url)))?;
    about_setup("", setup, &requests, style, out)?;
    no_intervals(result, style, out)?;
    writeln!(out)
}

fn about_setup(title: &str, setup: &ProfileSetup, requests: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    setup.answer.iter().try_for_each(|came| answer(title, came, style, out))?;
    let elapsed = grouped(Duration::from_nanos(setup.elapsed_ns).as_secs_f64(), 1);
    let line = format!("{title}{}, by {}; {requests} in {elapsed} s", setup.group, setup.how);
    aside(&line, style, out)?;
    aside(&overhead(setup), style, out)?;
    cut_short(&setup.ended, "a request failed", "requests", style, out)
}

/// `a request takes 24.10 ± 0.21 ms; profiled 25.30 ± 0.24 ms, 5.0 ± 1.3 % more`
fn overhead(setup: &ProfileSetup) -> String {
    let quantity = |time: OpenNs| match time.closed() {
        Some(span) => Quantity { kind: Kind::Time, value: span.value, margin: margin(span) }.to_string(),
        None => format!("{} (too few for an interval)", plain(Kind::Time, time.value as f64)),
    };
    let takes = format!("a request takes {}; profiled {}", quantity(setup.plain_ns), quantity(setup.profiled_ns));
    match ProfileSetup::overhead_of(setup.plain_ns, setup.profiled_ns) {
        Some(OpenSpan { low: Some(low), high: Some(high), .. }) if low <= 0.0 && high >= 0.0 => {
            let is_equal = low >= -MARGIN && high <= MARGIN;
            let said = if is_equal { equal() } else { "unclear".to_owned() };
            format!("{takes}, {said} ({} to {} %)", signed(low), signed(high))
        }
        Some(more) => {
            let word = if more.value < 0.0 { "less" } else { "more" };
            format!("{takes}, {} {word}", percent(more.value.abs(), margin_of(more)))
        }
        None => takes,
    }
}

fn no_intervals(result: &Profiled, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let functions = &result.document.functions;
    let has_any = functions.iter().any(|row| margin_of(row.self_share).is_some());
    if has_any || functions.is_empty() {
        return Ok(());
    }
    let why = if result.are_requests() {
        format!("fewer than {} requests: no intervals", unladen_profile::MIN_REQUESTS)
    } else {
        "one file, requests not distinguished: no intervals".to_owned()
    };
    dressed(&why, |line| style.warn(line), style, out)
}

/// How a table of functions is drawn.
struct Listing<'a> {
    title: &'a str,
    /// The column that is emphasised, and sorted by.
    by_self: bool,
    callers: bool,
    /// Maximum number of functions; one is always shown.
    most: usize,
}

/// Returns how many functions it lists.
fn table(rows: &[&Function], listing: &Listing<'_>, style: Style, out: &mut dyn Write) -> io::Result<usize> {
    writeln!(out, "{}", style.heading(listing.title))?;
    let shown = &rows[..rows.len().min(listing.most.max(1))];
    // If the number of requests is unknown, calls are for the whole file.
    let per_request = rows.iter().any(|row| row.calls_per_request.is_some());
    let mut columns = Columns::new(&["self", "total", if per_request { "calls/request" } else { "calls" }], &[2]);
    for row in shown {
        let mut shares = [row.self_share, row.total_share].map(share);
        let first = usize::from(!listing.by_self);
        shares[first] = strong(&shares[first]);
        for (share, weight) in shares.iter_mut().zip([row.self_weight, row.total_weight]) {
            // For functions that only call others, the upper limit says nothing.
            if weight == 0 {
                *share = faint(NOTHING);
            }
        }
        let [own, total] = shares;
        let counted = if per_request { row.calls_per_request } else { row.calls.map(|calls| calls as f64) };
        columns.row(vec![own, total, counted.map(calls).unwrap_or_default()]);
    }
    let room = columns.settle(style);
    for (index, row) in shown.iter().enumerate() {
        columns.function(index, function(&row.name, &row.file, row.line, room));
        if listing.callers {
            for line in callers(row, room, style) {
                columns.below(faint(&line));
            }
        }
    }
    columns.write(style, out)?;
    Ok(shown.len())
}

fn left_out(count: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if count > 0 {
        writeln!(out, "{}\n", style.faint(&further(count, "")))?;
    }
    Ok(())
}

/// `… 312 further functions`
fn further(count: usize, what: &str) -> String {
    format!("… {} further function{}{what}", grouped(count as f64, 0), if count == 1 { "" } else { "s" })
}

/// `called by Parser::parse (72 %), Title::newFromText (20 %)`, wrapped.
fn callers(row: &Function, room: usize, style: Style) -> Vec<String> {
    let part = |weight: u64| weight as f64 / row.total_weight.max(1) as f64;
    let named = row.callers.iter().filter(|caller| part(caller.weight) > LEAST_CALLER).take(CALLERS);
    let named: Vec<String> = named
        .filter_map(|caller| {
            let name = short_name(caller.name.as_ref()?, room.saturating_sub(14));
            // Names are not broken at their blanks.
            Some(format!("{}\u{a0}({:.0}\u{a0}%)", name.replace(' ', "\u{a0}"), part(caller.weight) * 100.0))
        })
        .collect();
    if named.is_empty() {
        return Vec::new();
    }
    let lines = fill(&format!("called by {}", named.join(", ")), room.saturating_sub(2), style);
    lines.into_iter().map(|line| format!("  {}", line.replace('\u{a0}', " "))).collect()
}

/// A function's name, and its place if there is room.
fn function(name: &str, file: &str, line: u32, room: usize) -> String {
    let short = short_name(name, room);
    let file = file.rsplit('/').next().unwrap_or_default();
    let place = match (file, line) {
        ("", _) => String::new(),
        (file, _) if name.ends_with(file) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    };
    if place.is_empty() || width(&short) + 2 + width(&place) > room {
        return short;
    }
    format!("{short}  {}", faint(&clean(&place)))
}

/// Keeps the end of a name, which is most telling.
fn short_name(name: &str, room: usize) -> String {
    let name = if name.is_empty() { "(no name)" } else { name };
    if name.chars().count() <= room {
        return clean(name);
    }
    let name = &without_folders(name);
    let length = name.chars().count();
    if length <= room {
        return clean(name);
    }
    let last: String = name.chars().skip(length + 1 - room.max(1)).collect();
    // Cut at the start of a part, if that keeps most of it.
    let parts = ["\\", "::", "/"].iter().filter_map(|separator| last.find(separator).map(|at| at + separator.len()));
    let begin = parts.min().filter(|begin| begin * 2 < last.len()).unwrap_or(0);
    format!("…{}", clean(&last[begin..]))
}

/// Anonymous functions are named by their place, whose folders would hide the class: `A::{closure:/srv/app/a.php(12)}`
/// becomes `A::{closure:a.php(12)}`.
fn without_folders(name: &str) -> String {
    let begins = ["{closure:/", "[/"].iter().filter_map(|begin| Some(name.find(begin)? + begin.len() - 1));
    let Some(begin) = begins.min() else { return name.to_owned() };
    let end = name[begin..].find(['}', ']', '(', ' ', ',']).map_or(name.len(), |length| begin + length);
    let file = name[begin..end].rfind('/').map_or(begin, |slash| begin + slash + 1);
    format!("{}{}", &name[..begin], &name[file..])
}

/// Text below the tables of a profile.
fn close(notes: &[String], written: &[Written], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for note in notes {
        wrapped(&clean(note), style, out)?;
    }
    if !notes.is_empty() && !written.is_empty() {
        writeln!(out)?;
    }
    let longest = written.iter().map(|one| one.file.chars().count()).max().unwrap_or(0);
    for Written { file, reads } in written {
        let file = format!("{:<longest$}", clean(file));
        let room = usize::from(style.width).saturating_sub(longest + 2);
        // A name to copy is not broken.
        let reads = fill(reads, room.max(NARROWEST), style);
        for (index, reads) in reads.iter().enumerate() {
            let file = if index == 0 { style.strong(&file) } else { " ".repeat(longest) };
            writeln!(out, "{file}  {}", style.faint(reads))?;
        }
    }
    Ok(())
}

fn requests(requests: Option<u64>) -> String {
    match requests {
        Some(1) => "1 request".to_owned(),
        Some(requests) => format!("{} requests", grouped(requests as f64, 0)),
        None => "an unknown number of requests".to_owned(),
    }
}

fn titles(document: &ProfileDocument) -> [String; 2] {
    let what = match (document.unit.as_str(), document.period_ns) {
        ("cpu-nanoseconds", _) => "CPU time",
        ("bytes", _) => return ["bytes of the function itself", "bytes of it and what it calls"].map(String::from),
        ("count", _) => return ["events in the function itself", "events in it and what it calls"].map(String::from),
        ("nanoseconds", _) | (_, Some(_)) => "time",
        (_, None) => return ["samples in the function itself", "samples in it and what it calls"].map(String::from),
    };
    [format!("by self {what}"), format!("by total {what}")]
}

/// The longer half of an interval.
fn margin(span: Span) -> f64 {
    span.margin().max(0.0)
}

/// The same of what may have no interval.
fn margin_of(of: OpenSpan) -> Option<f64> {
    of.closed().map(margin)
}

/// `16.6 ± 0.7 %`; if never or always seen, the end of the interval: `< 4.9 %`, `> 95.1 %`.
fn share(share: OpenSpan) -> String {
    let Some((low, high)) = share.low.zip(share.high) else { return percent(share.value, None) };
    if share.value <= 0.0 && high > 0.0 {
        format!("< {}", percent(high, None))
    } else if share.value >= 1.0 && low < 1.0 {
        format!("> {}", percent(low, None))
    } else {
        percent(share.value, margin_of(share))
    }
}

/// `16.6 ± 0.7 %`
fn percent(part: f64, margin: Option<f64>) -> String {
    let margin = margin.filter(|margin| margin.is_finite());
    let decimals = usize::from(part.abs() < 0.9995 || margin.is_some());
    // More precise values get more digits.
    let finer = margin.is_some_and(|margin| margin > 0.0 && margin < 0.000_5);
    let decimals = if finer || margin.is_none() && part != 0.0 && part.abs() < 0.000_5 { 2 } else { decimals };
    match margin {
        Some(margin) => format!("{} ± {} %", grouped(part * 100.0, decimals), grouped(margin * 100.0, decimals)),
        None => format!("{} %", grouped(part * 100.0, decimals)),
    }
}

fn signed(part: f64) -> String {
    let text = grouped(part * 100.0, 1);
    if part > 0.0 { format!("+{text}") } else { text }
}

/// A count, not an estimate, with as many digits as it needs.
fn calls(calls: f64) -> String {
    grouped(calls, if calls.fract() == 0.0 || calls >= 100.0 { 0 } else { 1 })
}

/// Minimum width of a function's name, for which other columns go.
pub(super) const NARROWEST: usize = 28;

/// Columns of figures, with functions in the remaining width.
pub(super) struct Columns {
    headings: Vec<String>,
    /// Columns that may be dropped, the first one first.
    expendable: Vec<usize>,
    rows: Vec<Vec<String>>,
    left: Vec<usize>,
    /// Output lines of each row, or of what follows a row.
    lines: Vec<Vec<String>>,
}

impl Columns {
    pub(super) fn new(headings: &[&str], expendable: &[usize]) -> Self {
        Self {
            headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
            expendable: expendable.to_vec(),
            rows: Vec::new(),
            left: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Drops empty columns, and others until functions have room; returns that room.
    pub(super) fn settle(&mut self, style: Style) -> usize {
        const GAP: usize = 2;
        let has_any = |column: &usize| self.rows.iter().any(|row| !row[*column].is_empty());
        self.left = (0..self.headings.len()).filter(has_any).collect();
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| width(&written(&row[column], style)));
            cells.chain([width(&written(&self.headings[column], style))]).max().unwrap_or(0) + GAP
        };
        let total = usize::from(style.width);
        let room = |left: &[usize]| total.saturating_sub(left.iter().map(|column| widest(*column)).sum());
        let mut left = self.left.clone();
        for gone in &self.expendable {
            if room(&left) >= NARROWEST {
                break;
            }
            left.retain(|column| column != gone);
        }
        let room = room(&left);
        self.left = left;
        // An ellipsis is three characters in ASCII.
        let room = if style.ascii { room.saturating_sub(2) } else { room };
        room.max(NARROWEST / 2)
    }

    pub(super) fn function(&mut self, row: usize, function: String) {
        let mut cells: Vec<String> = self.left.iter().map(|column| self.rows[row][*column].clone()).collect();
        cells.push(function);
        self.lines.push(cells);
    }

    pub(super) fn below(&mut self, text: String) {
        let mut cells = vec![String::new(); self.left.len()];
        cells.push(text);
        self.lines.push(cells);
    }

    pub(super) fn write(self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut headings: Vec<&str> = self.left.iter().map(|column| self.headings[*column].as_str()).collect();
        headings.push("function");
        let mut grid = Grid::new(&headings).left_only(self.left.len());
        for line in self.lines {
            grid.row(line);
        }
        grid.write(style, out)
    }
}

#[cfg(test)]
mod tests;

//! The pages of `unladen profile` and `unladen profile diff`: functions that take the time, and changes.

use unladen_document::{
    Function, FunctionChange, Moved, OpenNs, OpenSpan, ProfileDiffDocument, ProfileDocument, ProfileSetup, Written,
};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, Quantity, grouped, lasting, percent, plain, short, signed, with_sign};

use super::method::{Fact, fact, method, notice};
use super::parts::{self, ended};
use crate::figures;
use crate::page::table::{Bar, Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks, Page, Tile, of_findings};

/// Maximum number of functions in a table.
const MOST_FUNCTIONS: usize = 300;
/// Functions shown before the reader asks for the rest.
const FIRST: usize = 25;
/// Maximum number of callers listed per function.
const CALLERS: usize = 3;
/// Callers with less than this part of a function's time are omitted.
const LEAST_CALLER: f64 = 0.1;

pub(super) fn page(document: &ProfileDocument) -> Page {
    let mut page = Page::new("profile", document.target.clone());
    page.headline = Words::new().plain("Where the time goes: ").name(document.target.clone());
    page.summary(summary(document));
    page.section("gates", "Gates", parts::gates(&document.gates));
    page.section("functions", "Functions", functions(document));
    page.section("findings", "Findings", of_findings(&document.findings, false));
    page.folded("files", "Files", files(&document.written));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page.remarks("notes", "Notes", &document.notes);
    page
}

fn place(file: &str, line: u32) -> String {
    match (file, line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

fn files(written: &[Written]) -> Vec<Block> {
    let item = |written: &Written| Words::new().name(written.file.clone()).plain(format!(": {}", written.reads));
    let mut blocks = Vec::new();
    blocks.list(written.iter().map(item).collect());
    blocks
}

fn summary(document: &ProfileDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    let setup = document.setup.as_ref();
    blocks.extend(setup.and_then(|setup| ended(&setup.ended, "A request", "these are the requests")));
    blocks.extend(parts::verdict(&document.gates));
    blocks.extend(notice(&document.about));
    let what = what(&document.unit);
    match document.by_self().as_slice() {
        [] => blocks.push(Block::Paragraph("No function was seen.".into())),
        [first, rest @ ..] => {
            let mut words = Words::new()
                .strong(figures::share(first.self_share))
                .plain(format!(" of {what} is spent in "))
                .name(first.name.clone())
                .plain(" itself");
            let more: Vec<Words> = rest
                .iter()
                .take(2)
                .map(|function| {
                    Words::new()
                        .plain(format!("{} in ", figures::share(function.self_share)))
                        .name(function.name.clone())
                })
                .collect();
            if !more.is_empty() {
                words = words.plain("; ").and(joined(more, ", "));
            }
            blocks.push(Block::Paragraph(words.plain(".")));
        }
    }
    if let Some(setup) = setup {
        blocks.push(Block::Paragraph(overhead(setup)));
    }
    let advice = document.findings.iter().enumerate().map(|(index, finding)| {
        Words::new()
            .plain(format!("{}. ", finding.summary))
            .link(format!("#finding-{}", index + 1), format!("Fix: {}", finding.fix.advice))
    });
    let advice: Vec<Words> = advice.collect();
    if !advice.is_empty() {
        blocks.push(Block::ToDo("What to do", advice, Words::new()));
    }
    let mut tiles = Vec::new();
    if let Some(setup) = setup {
        let ends = setup.plain_ns.closed();
        let ends = ends.map_or(String::new(), |ends| figures::interval(Kind::Time, ends.low, ends.high));
        tiles.push(Tile::new("A request takes", plain(Kind::Time, setup.plain_ns.value as f64), ends));
    }
    if let Some(requests) = document.requests {
        tiles.push(Tile::new("Requests in the profile", grouped(requests as f64, 0), ""));
    }
    if !tiles.is_empty() {
        tiles.push(Tile::new("Functions seen", grouped(document.functions.len() as f64, 0), ""));
        blocks.tiles(tiles);
    }
    blocks
}

fn what(unit: &str) -> &'static str {
    match unit {
        "cpu-nanoseconds" => "the CPU time",
        "bytes" => "the memory",
        "count" => "all calls",
        _ => "the time",
    }
}

fn time(time: OpenNs) -> String {
    time.closed().map_or_else(
        || format!("{} (too few for an interval)", plain(Kind::Time, time.value as f64)),
        |time| figures::span(Kind::Time, time),
    )
}

/// `A request takes 19.14 ± 0.25 ms, under the profiler 20.06 ± 0.24 ms: 4.8 ± 1.8 % more.`
fn overhead(setup: &ProfileSetup) -> Words {
    let mut words = Words::new()
        .plain("A request takes ")
        .strong(time(setup.plain_ns))
        .plain(format!(", under the profiler {}", time(setup.profiled_ns)));
    if let Some(overhead) = setup.overhead {
        words = match (overhead.low, overhead.high) {
            (Some(low), Some(high)) if low <= 0.0 && high >= 0.0 => {
                let is_equal = low >= -MARGIN && high <= MARGIN;
                let within = short(Kind::Count, 100.0 * MARGIN);
                let said =
                    if is_equal { format!("no measurable difference within ±{within} %") } else { "unclear".into() };
                words.plain(format!(": {said} ({} to {} %)", with_sign(low), with_sign(high)))
            }
            _ => {
                let word = if overhead.value < 0.0 { "less" } else { "more" };
                let size = OpenSpan { value: overhead.value.abs(), ..overhead };
                let size = match (overhead.low, overhead.high) {
                    (Some(low), Some(high)) => figures::share(OpenSpan {
                        low: Some(size.value - (high - low) / 2.0),
                        high: Some(size.value + (high - low) / 2.0),
                        ..size
                    }),
                    _ => format!("{} %", percent(size.value)),
                };
                words.plain(format!(": {size} {word}"))
            }
        };
    }
    words.plain(".")
}

fn functions(document: &ProfileDocument) -> Vec<Block> {
    let by_self = document.by_self();
    let by_total: Vec<&Function> = document.functions.iter().collect();
    let what = what(&document.unit);
    let mut blocks = Vec::new();
    for (title, functions, of_self) in
        [(format!("By self, of {what}"), by_self, true), (format!("By total, of {what}"), by_total, false)]
    {
        let (first, rest) = functions.split_at(functions.len().min(FIRST));
        blocks.table(function_table(&title, first, document, of_self));
        if !rest.is_empty() {
            let most = &rest[..rest.len().min(MOST_FUNCTIONS)];
            let summary = format!("{} further functions", grouped(rest.len() as f64, 0));
            blocks.folded(summary.as_str(), function_table(&summary, most, document, of_self));
        }
    }
    blocks
}

fn function_table(title: &str, functions: &[&Function], document: &ProfileDocument, of_self: bool) -> Table {
    let per_request = document.functions.iter().any(|function| function.calls_per_request.is_some());
    let calls = if per_request { "#calls a request" } else { "#calls" };
    let mut table = Table::new(title, &["function", "", "#self", "#total", calls, "called by"]).sortable();
    let share_of = |function: &Function| if of_self { function.self_share } else { function.total_share };
    let ends = functions.iter().map(|function| share_of(function)).map(|share| share.high.unwrap_or(share.value));
    let most = ends.fold(0.0, f64::max);
    for function in functions {
        let shown = share_of(function);
        let [low, high] = [shown.low, shown.high].map(|end| end.unwrap_or(shown.value));
        let calls = match (function.calls_per_request, function.calls) {
            (Some(calls), _) => Some(calls),
            (None, calls) if !per_request => calls.map(|calls| calls as f64),
            _ => None,
        };
        table.row([
            function_name(&function.name, &function.file, function.line),
            Cell::default().bar(Bar::of(shown.value, low, high, most)).by(shown.value),
            Cell::new(share(function.self_share)).by(function.self_share.value),
            Cell::new(share(function.total_share)).by(function.total_share.value),
            calls.map_or(Cell::default(), |calls| Cell::new(plain(Kind::Count, calls)).by(calls)),
            Cell::new(callers(function)),
        ]);
    }
    table
}

/// `22.2 ± 0.5 %`; near zero or all, one end only.
fn share(share: OpenSpan) -> String {
    match (share.low, share.high) {
        (Some(_), Some(high)) if share.value <= 0.0 => format!("< {} %", percent(high)),
        (Some(low), Some(_)) if share.value >= 1.0 => format!("> {} %", percent(low)),
        _ => figures::share(share),
    }
}

fn function_name(name: &str, file: &str, line: u32) -> Cell {
    let place = place(file, line);
    let words = Words::new().name(name);
    // A file is a function of its own.
    if place.is_empty() || place.starts_with(name) { words.into() } else { words.plain(" ").name(place).into() }
}

fn callers(function: &Function) -> Words {
    let of_all = |weight: u64| weight as f64 / (function.total_weight.max(1)) as f64;
    let named = function.callers.iter().filter(|caller| of_all(caller.weight) >= LEAST_CALLER).take(CALLERS);
    let one = |caller: &unladen_document::Caller| {
        let name = caller.name.as_deref()?;
        Some(Words::new().name(name).faint(format!(" {:.0} %", of_all(caller.weight) * 100.0)))
    };
    joined(named.filter_map(one).collect(), ", ")
}

fn facts(document: &ProfileDocument) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !document.profiler.is_empty() {
        facts.push(fact("Profiler", document.profiler.as_str()));
    }
    facts.push(fact("Weights in", document.unit.as_str()));
    if let Some(period) = document.period_ns {
        facts.push(fact("A sample each", plain(Kind::Time, period as f64)));
    }
    if let Some(setup) = &document.setup {
        facts.extend(setup_facts(setup));
    }
    facts
}

fn setup_facts(setup: &ProfileSetup) -> Vec<Fact> {
    vec![
        fact("Group", Words::new().name(setup.group.clone())),
        fact("How", setup.how.as_str()),
        fact("Time", lasting(std::time::Duration::from_nanos(setup.elapsed_ns))),
    ]
}

// --- Comparison of two profiles ---

pub(super) fn diff_page(document: &ProfileDiffDocument) -> Page {
    let mut page = Page::new("profiles compared", format!("{} → {}", document.baseline, document.candidate));
    page.headline = Words::new().name(document.baseline.clone()).plain(" → ").name(document.candidate.clone());
    page.summary(diff_summary(document));
    page.section("functions", "Functions", diff_functions(document));
    page.folded("files", "Files", files(&document.written));
    let mut facts = Vec::new();
    if !document.profiler.is_empty() {
        facts.push(fact("Profiler", document.profiler.as_str()));
    }
    for (name, setup) in ["Before", "After"].into_iter().zip(document.setups.iter().flatten()) {
        facts.push(fact(name, Words::new().name(setup.group.clone()).plain(format!(", {}", setup.how))));
    }
    page.folded("method", "Method and machine", method(&document.about, facts));
    page.remarks("notes", "Notes", &document.notes);
    page
}

fn diff_summary(document: &ProfileDiffDocument) -> Vec<Block> {
    let mut blocks: Vec<Block> = notice(&document.about).into_iter().collect();
    let changed: Vec<&FunctionChange> = document.functions.iter().filter(|function| function.changed).collect();
    if changed.is_empty() {
        let text = "No certain change: no function differs by more than chance.";
        blocks.push(Block::Paragraph(text.into()));
        return blocks;
    }
    let words = Words::new()
        .strong(figures::count(changed.len() as u64, "function"))
        .plain(format!(" of {} changed; the largest changes:", grouped(document.functions.len() as f64, 0)));
    blocks.push(Block::Paragraph(words));
    let line = |function: &&FunctionChange| {
        let moved = if function.own.difference.value != 0.0 { &function.own } else { &function.total };
        let (class, word) = if moved.difference.value < 0.0 { ("good", "less") } else { ("bad", "more") };
        let size = amount(document, moved.difference.value.abs());
        Words::new().name(function.name.clone()).plain(": ").mark(class, format!("{size} {word}"))
    };
    blocks.list(changed.iter().take(5).map(line).collect());
    blocks
}

/// Per request, or as a part of the whole.
fn amount(document: &ProfileDiffDocument, value: f64) -> String {
    let (kind, one) = document.scale();
    if document.per_request { plain(kind, value * one) } else { format!("{} %", percent(value)) }
}

fn diff_functions(document: &ProfileDiffDocument) -> Vec<Block> {
    let (changed, rest): (Vec<&FunctionChange>, Vec<&FunctionChange>) =
        document.functions.iter().partition(|function| function.changed);
    let of = if document.per_request { "per request" } else { "as parts of the whole" };
    let mut blocks = Vec::new();
    blocks.table(diff_table(&format!("Functions that changed, {of}"), &changed, document));
    let rest = diff_table(&format!("No certain change, {of}"), &rest, document);
    blocks.folded("Functions without a certain change", rest);
    blocks
}

fn diff_table(title: &str, functions: &[&FunctionChange], document: &ProfileDiffDocument) -> Table {
    let columns = ["function", "#self", "#change", "#total", "#change", "#calls a request"];
    let mut table = Table::new(title, &columns).sortable();
    for function in functions.iter().take(MOST_FUNCTIONS) {
        let calls = function.calls_per_request.map_or(String::new(), |[before, after]| {
            format!("{} → {}", plain(Kind::Count, before), plain(Kind::Count, after))
        });
        let from_to = |moved: &Moved| {
            let [before, after] = [moved.baseline, moved.candidate].map(|value| amount(document, value));
            Cell::new(format!("{before} → {after}")).by(moved.candidate)
        };
        table.row([
            function_name(&function.name, &function.file, function.line),
            from_to(&function.own),
            change(document, &function.own, function.changed),
            from_to(&function.total),
            change(document, &function.total, function.changed),
            Cell::new(calls),
        ]);
    }
    table
}

fn change(document: &ProfileDiffDocument, moved: &Moved, is_told: bool) -> Cell {
    let OpenSpan { value, .. } = moved.difference;
    let (kind, one) = document.scale();
    let text = match moved.difference.closed() {
        _ if !document.per_request => format!("{} %", with_sign(value)),
        Some(span) => {
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{}", Quantity { kind, value: value * one, margin: span.margin() * one })
        }
        None if value != 0.0 => signed(kind, value * one),
        None => plain(kind, value),
    };
    let class = match value {
        _ if !is_told || value == 0.0 => "even",
        value if value < 0.0 => "good",
        _ => "bad",
    };
    Cell::new(Words::new().mark(class, text)).by(value)
}

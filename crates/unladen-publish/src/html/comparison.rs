//! The page of a comparison of two runs. The principal function is [`comparison_page`].

use unladen_compare::{Comparable, Comparison, Figure, FindingVerdict, Kind as RowKind, Row, Side, Verdict};
use unladen_quantity::{Kind, Quantity, Span, percent, plain, with_sign};

use super::block::{Block, Blocks, Tile};
use super::document::PageOptions;
use super::method::{fact, short_commit, time_text};
use super::page::{Page, rendered};
use super::table::{Cell, Table};
use super::words::Words;
use crate::figures;
use crate::markdown::margin;
use crate::undecided::undecided;
use crate::verdict::title;

/// Maximum number of figures and findings in the summary.
const MOST_NAMED: usize = 6;

/// Two runs side by side, as an HTML document that loads nothing.
pub fn comparison_page(comparison: &Comparison, options: &PageOptions) -> String {
    let (before, after) = (run(&comparison.before, "the earlier run"), run(&comparison.after, "the later run"));
    let mut page = Page::new("compared", format!("{before} → {after}"));
    page.byline = Words::new().name(comparison.after.target.clone());
    if comparison.before.target != comparison.after.target {
        page.byline = page.byline.plain(" (before: ").name(comparison.before.target.clone()).plain(")");
    }
    page.nav.clone_from(&options.nav);
    page.section("summary", "In short", summary(comparison));
    page.section("changed", "What changed", changed(comparison));
    page.section("findings", "Findings", findings(comparison));
    page.section("unchanged", "What did not change", unchanged(comparison));
    page.section("method", "The two runs", sides(comparison));
    let mut warnings = Vec::new();
    warnings.list(comparison.warnings.iter().map(|warning| warning.as_str().into()).collect());
    page.section("warnings", "Warnings", warnings);
    rendered(&page)
}

fn run(side: &Side, otherwise: &str) -> String {
    match &side.id {
        Some(id) if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("Run {id}"),
        Some(id) => id.clone(),
        None => side.time.as_deref().map_or(otherwise.to_owned(), time_text),
    }
}

// --- Summary ---

fn summary(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    match &comparison.comparable {
        Comparable::Yes => {}
        Comparable::AcrossMachines(reasons) => {
            let text = "Runs of different machines: counts compare as they are, times in units of the reference work. ";
            blocks.push(Block::Notice(
                "warn",
                Words::new().strong(text).plain(format!("{}.", capital(&reasons.join("; ")))),
            ));
        }
        Comparable::No(reasons) => {
            let words = Words::new().strong("The two are not comparable: ").plain(reasons.join("; "));
            blocks.push(Block::Notice("bad", words.plain(".")));
            return blocks;
        }
    }
    let heads: Vec<&Row> = comparison.rows.iter().filter(|row| row.headline).collect();
    for row in &heads {
        blocks.push(Block::Paragraph(
            Words::new().strong(capital(&metric(row))).and(page_of(row)).plain(" ").and(in_words(row)).plain("."),
        ));
    }
    blocks.push(Block::Paragraph(counts(comparison)));
    let tiles: Vec<Tile> = heads.iter().take(4).map(|row| tile(row)).collect();
    if !tiles.is_empty() {
        blocks.push(Block::Tiles(tiles));
    }
    let news = comparison.findings.iter().filter(|finding| {
        matches!(
            finding.verdict,
            FindingVerdict::New | FindingVerdict::Gone | FindingVerdict::Heavier | FindingVerdict::Lighter
        )
    });
    let news: Vec<Words> = news
        .take(MOST_NAMED)
        .map(|finding| {
            let (class, sign) = finding_look(finding.verdict);
            Words::new()
                .mark(class, format!("{sign}{}", capital(finding.verdict.as_str())))
                .plain(": ")
                .strong(finding.rule.clone())
                .plain(format!(", {}", finding.summary))
        })
        .collect();
    blocks.list(news);
    blocks
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn counts(comparison: &Comparison) -> Words {
    let count = |is: &dyn Fn(&Row) -> bool| comparison.rows.iter().filter(|row| is(row)).count() as u64;
    let (worse, better) = (count(&|row| row.verdict.is_worse()), count(&|row| row.verdict.is_better()));
    let rest = count(&|row| !row.verdict.is_told());
    let words = match (worse, better) {
        (0, 0) => {
            let (strong, rest) = undecided(comparison);
            Words::new().strong(strong).plain(rest)
        }
        _ => Words::new()
            .mark(if worse > 0 { "bad" } else { "even" }, format!("{} worse", figures::count(worse, "figure")))
            .plain(", ")
            .mark(if better > 0 { "good" } else { "even" }, format!("{} better", figures::count(better, "figure")))
            .plain(format!(", {rest} without a difference that could be told")),
    };
    match comparison.history.runs {
        0 => words.plain(
            ". No other runs tell how much two runs of the same thing differ; a documented default stands in for them.",
        ),
        runs => words.plain(format!(
            ". {} of the same tell how much two runs of it differ.",
            figures::count(runs as u64, "other run")
        )),
    }
}

fn tile(row: &Row) -> Tile {
    let value = match (row.verdict.is_told(), row.ratio) {
        (true, Some(ratio)) => format!("{} %", with_sign(ratio.value - 1.0)),
        (true, None) => row.difference.map_or(row.verdict.to_string(), |difference| signed(row, difference.value)),
        (false, _) => match row.verdict {
            Verdict::NoMeasurableDifference => format!("no difference{}", margin(row)),
            other => other.to_string(),
        },
    };
    let note = match (row.before, row.after) {
        (Some(before), Some(after)) => {
            format!("from {} to {}", text(row, before.value), text(row, after.value))
        }
        _ => String::new(),
    };
    Tile::new(&capital(&format!("{}{}", metric(row), page_of(row).text())), value, note)
}

/// "Faster" would be wrong for shares within a time and rates.
fn word(row: &Row) -> &'static str {
    match (row.verdict, row.kind) {
        (Verdict::Faster, RowKind::Within | RowKind::Rate) => "more",
        (Verdict::Slower, RowKind::Within | RowKind::Rate) => "less",
        (verdict, _) => verdict.as_str(),
    }
}

/// `is lighter by 13.4 % (12.2 to 14.6), from 22.2 ms to 18.9 ms`
fn in_words(row: &Row) -> Words {
    let (class, _) = look(row);
    let words = Words::new();
    let words = match row.verdict {
        Verdict::Gone | Verdict::New => words.plain("is ").mark(class, row.verdict.as_str()),
        verdict if verdict.is_told() => words.plain("is ").mark(class, format!("{} by {}", word(row), size(row))),
        Verdict::NoMeasurableDifference => {
            words.plain("shows ").mark(class, format!("no measurable difference{}{}", margin(row), both(row)))
        }
        Verdict::Unclear => words.plain("is ").mark(class, format!("unclear{}", both(row))),
        verdict => words.plain("is ").mark(class, verdict.as_str()),
    };
    match (row.before, row.after) {
        (Some(before), Some(after)) => {
            words.plain(format!(", from {} to {}", text(row, before.value), text(row, after.value)))
        }
        _ => words,
    }
}

// --- Words of a row ---

/// Class and sign of the verdict.
fn look(row: &Row) -> (&'static str, &'static str) {
    let grows = row.difference.is_some_and(|difference| difference.value > 0.0);
    let sign = match row.verdict {
        Verdict::New => "+ ",
        Verdict::Gone => "− ",
        verdict if verdict.is_told() && grows => "▲ ",
        verdict if verdict.is_told() => "▼ ",
        Verdict::NoMeasurableDifference => "= ",
        _ => "? ",
    };
    let class = match row.verdict {
        verdict if verdict.is_worse() => "bad",
        verdict if verdict.is_better() => "good",
        _ => "even",
    };
    (class, sign)
}

/// `CPU of www-data php-fpm8.2`, `p50`, `files.checked of …`
pub(super) fn metric_text(
    kind: RowKind,
    metric: &str,
    counter: Option<&str>,
    group: Option<&str>,
    arm: Option<&str>,
) -> String {
    let name = match (kind, counter) {
        (RowKind::Weight, Some(counter)) => figures::counter("", counter),
        (RowKind::Count, Some(counter)) => counter.to_owned(),
        (RowKind::Latency, _) => format!("latency, {}", title(metric)),
        _ => title(metric),
    };
    let group = match (kind, group) {
        (RowKind::Weight | RowKind::Count, Some(group)) => format!(" of {group}"),
        (RowKind::Weight, None) => " of all that follow".to_owned(),
        _ => String::new(),
    };
    let arm = arm.filter(|arm| !arm.is_empty()).map_or(String::new(), |arm| format!(" in {arm}"));
    format!("{name}{group}{arm}")
}

fn metric(row: &Row) -> String {
    let state = if row.state.as_deref() == Some("fresh") { ", first request" } else { "" };
    let text = metric_text(row.kind, &row.metric, row.counter.as_deref(), row.group.as_deref(), row.arm.as_deref());
    format!("{text}{state}")
}

fn page_of(row: &Row) -> Words {
    if row.url.is_empty() { Words::new() } else { Words::new().plain(" of ").name(row.url.clone()) }
}

pub(super) fn value_text(kind: RowKind, unit: &str, value: f64) -> String {
    match kind {
        RowKind::Within | RowKind::Errors | RowKind::Function => figures::share_text(value),
        RowKind::Effect => format!("{} %", with_sign(value - 1.0)),
        _ if unit == "1/s" => format!("{}/s", plain(Kind::Count, value)),
        _ => plain(figures::kind(unit), value),
    }
}

fn text(row: &Row, value: f64) -> String {
    value_text(row.kind, &row.unit, value)
}

fn figure(row: &Row, figure: Option<Figure>) -> Cell {
    let Some(figure) = figure else { return Cell::new(Words::new().faint("–")) };
    let is_share = matches!(row.kind, RowKind::Within | RowKind::Errors | RowKind::Function | RowKind::Effect);
    let text = match (figure.low, figure.high) {
        (Some(low), Some(high)) if !is_share && row.unit != "1/s" => {
            figures::with_margin(figures::kind(&row.unit), figure.value, low, high)
        }
        _ => text(row, figure.value),
    };
    Cell::new(text).by(figure.value)
}

fn signed(row: &Row, value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", plain(figures::kind(&row.unit), value.abs()))
}

/// From the side of the change.
fn size(row: &Row) -> String {
    if let Some(ratio) = row.ratio {
        let span = Span { value: ratio.value, low: ratio.low, high: ratio.high }.less_one();
        let Span { value, low, high } = upward(span);
        return format!("{} % ({} to {})", percent(value), percent(low), percent(high));
    }
    let Some(difference) = row.difference else { return String::new() };
    let difference = upward(Span { value: difference.value, low: difference.low, high: difference.high });
    let margin = difference.margin();
    if margin.is_finite() {
        Quantity { kind: figures::kind(&row.unit), value: difference.value, margin }.to_string()
    } else {
        plain(figures::kind(&row.unit), difference.value)
    }
}

fn upward(span: Span) -> Span {
    if span.value < 0.0 { Span { value: -span.value, low: -span.high, high: -span.low } } else { span }
}

/// ` (−0.9 to +0.4 %)`
fn both(row: &Row) -> String {
    match (row.ratio, row.difference) {
        (Some(ratio), _) => format!(" ({} to {} %)", with_sign(ratio.low - 1.0), with_sign(ratio.high - 1.0)),
        (None, Some(difference)) => format!(" ({} to {})", signed(row, difference.low), signed(row, difference.high)),
        (None, None) => String::new(),
    }
}

fn change(row: &Row) -> Words {
    let (class, sign) = look(row);
    let text = match row.verdict {
        Verdict::Gone | Verdict::New | Verdict::NotComparable => row.verdict.to_string(),
        verdict if verdict.is_told() => format!("{} by {}", word(row), size(row)),
        verdict => format!("{verdict}{}", both(row)),
    };
    let words = Words::new().mark(class, format!("{sign}{text}"));
    if row.in_reference_units { words.faint(" in units of the reference work") } else { words }
}

fn floor(row: &Row) -> Cell {
    match (row.floor, row.ratio) {
        (Some(floor), Some(_)) => Cell::new(format!("{} %", percent(floor))).by(floor),
        (Some(floor), None) => Cell::new(plain(figures::kind(&row.unit), floor)).by(floor),
        (None, _) => Cell::default(),
    }
}

// --- Tables ---

fn table(caption: &str, rows: &[&Row]) -> Table {
    let has_pages = rows.iter().any(|row| !row.url.is_empty() && row.url != rows[0].url);
    let mut columns = vec!["figure"];
    if has_pages {
        columns.push("page");
    }
    columns.extend(["#before", "#after", "change, 95 % interval", "#floor between runs"]);
    let mut table = Table::new(caption, &columns).sortable();
    for row in rows {
        let about = if row.approximate { "≈ " } else { "" };
        let mut cells = vec![Cell::new(format!("{about}{}", metric(row)))];
        if has_pages {
            cells.push(Words::new().name(row.url.clone()).into());
        }
        cells.extend([
            figure(row, row.before),
            figure(row, row.after),
            Cell::new(change(row)).by(row.ratio.map_or(f64::NAN, |ratio| ratio.value)),
            floor(row),
        ]);
        table.row(cells);
    }
    table
}

fn changed(comparison: &Comparison) -> Vec<Block> {
    let worse: Vec<&Row> = comparison.rows.iter().filter(|row| row.verdict.is_worse()).collect();
    let better: Vec<&Row> = comparison.rows.iter().filter(|row| row.verdict.is_better()).collect();
    let mut blocks = Vec::new();
    blocks.table(table("Worse", &worse));
    blocks.table(table("Better", &better));
    blocks
}

fn unchanged(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (title, is) in [
        ("No measurable difference", Verdict::NoMeasurableDifference),
        ("Unclear", Verdict::Unclear),
        ("Not comparable", Verdict::NotComparable),
    ] {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.verdict == is).collect();
        if rows.is_empty() {
            continue;
        }
        let heading = format!("{title}: {}", figures::count(rows.len() as u64, "figure"));
        blocks.push(Block::Folded(heading.into(), vec![Block::Table(Box::new(table(title, &rows)))]));
    }
    blocks
}

fn finding_look(verdict: FindingVerdict) -> (&'static str, &'static str) {
    match verdict {
        FindingVerdict::New => ("bad", "+ "),
        FindingVerdict::Heavier => ("bad", "▲ "),
        FindingVerdict::Gone => ("good", "− "),
        FindingVerdict::Lighter => ("good", "▼ "),
        FindingVerdict::StillThere | FindingVerdict::ComesAndGoes => ("even", "= "),
        FindingVerdict::NotLookedFor => ("even", "? "),
    }
}

fn findings(comparison: &Comparison) -> Vec<Block> {
    let mut table =
        Table::new("Patterns of waste in the two runs", &["rule", "verdict", "in words", "#before", "#after"])
            .sortable();
    for finding in &comparison.findings {
        let (class, sign) = finding_look(finding.verdict);
        let mut verdict = Words::new().mark(class, format!("{sign}{}", finding.verdict));
        if let Some(why) = &finding.why {
            verdict = verdict.faint(format!(": {why}"));
        }
        let mut summary = Words::new().plain(finding.summary.clone());
        if !finding.group.is_empty() {
            summary = summary.plain(", by ").name(finding.group.clone());
        }
        let count = |figure: Option<Figure>| {
            figure.map_or(Cell::default(), |figure| {
                Cell::new(plain(figures::kind(&finding.unit), figure.value)).by(figure.value)
            })
        };
        table.row([
            Words::new().name(finding.rule.clone()).into(),
            verdict.into(),
            summary.into(),
            count(finding.before),
            count(finding.after),
        ]);
    }
    let mut blocks = Vec::new();
    blocks.table(table);
    blocks
}

fn sides(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (title, side) in [("Before", &comparison.before), ("After", &comparison.after)] {
        let mut facts = vec![fact("Run", run(side, "not in the store"))];
        facts.push(fact("Command", format!("unladen {}", side.verb)));
        facts.push(fact("Target", Words::new().name(side.target.clone())));
        if let Some(time) = &side.time {
            facts.push(fact("Time", time_text(time)));
        }
        if let Some(host) = &side.host {
            facts.push(fact("Host", Words::new().name(host.clone())));
        }
        if let Some(commit) = &side.commit {
            let dirty = if side.dirty == Some(true) { ", with changes" } else { "" };
            facts.push(fact("Commit", Words::new().name(short_commit(commit)).plain(dirty)));
        }
        if let Some(version) = &side.version {
            facts.push(fact("Unladen", version.as_str()));
        }
        facts.extend(side.labels.iter().map(|(name, value)| fact(name, value.as_str())));
        blocks.push(Block::Heading(title.into()));
        blocks.push(Block::Facts(facts));
    }
    if let Some(speed) = &comparison.speed {
        let mut table =
            Table::new("Speed of the machine, by its reference work", &["piece", "#time after / before − 1"]);
        let change =
            |span: unladen_compare::Span| Span { value: span.value, low: span.low, high: span.high }.change_text();
        for kind in &speed.kinds {
            table.row([Cell::new(kind.name.as_str()), Cell::new(change(kind.ratio))]);
        }
        if let Some(ratio) = speed.ratio {
            table.row([Cell::new(Words::new().strong("all")), Cell::new(change(ratio))]);
        }
        blocks.table(table);
        blocks.extend(speed.disagreement.iter().map(|text| Block::Notice("warn", text.as_str().into())));
    }
    blocks
}

//! The result of a comparison: two runs, side by side. The principal function is [`page`].

use unladen_compare::{Comparable, Comparison, Figure, FindingVerdict, Row, Side, Verdict};
use unladen_quantity::plain;

use super::method::{fact, known, short_commit, time_text};
use crate::compared::{change, counts, figure, floor, margin, said, undecided};
use crate::figures::{self, capital, count};
use crate::page::table::{Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks, Page, Tile, of_table};

/// Maximum number of findings in the summary.
const MOST_NAMED: usize = 6;

/// Two runs side by side.
pub(crate) fn page(comparison: &Comparison) -> Page {
    let (before, after) = (run(&comparison.before, "the earlier run"), run(&comparison.after, "the later run"));
    let mut page = Page::new("compared", format!("{before} → {after}"));
    page.headline = Words::new().name(before).plain(" → ").name(after);
    page.byline = Words::new().name(comparison.after.target.clone());
    if comparison.before.target != comparison.after.target {
        page.byline = page.byline.plain(" (before: ").name(comparison.before.target.clone()).plain(")");
    }
    page.summary(summary(comparison));
    page.section("changed", "What changed", changed(comparison));
    page.section("findings", "Findings", of_table(findings(comparison)));
    page.section("unchanged", "What did not change", unchanged(comparison));
    page.folded("method", "The two runs", sides(comparison));
    page.remarks("warnings", "Warnings", &comparison.warnings);
    page
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
            let text = "Runs of different machines: counts compare as they are, times in units of the reference work.";
            let reasons = format!(" {}.", capital(&reasons.join("; ")));
            blocks.push(Block::Notice("warn", Words::new().strong(text).plain(reasons)));
        }
        Comparable::No(reasons) => {
            let words = Words::new().strong("The two are not comparable: ").plain(reasons.join("; "));
            blocks.push(Block::Notice("bad", words.plain(".")));
            return blocks;
        }
    }
    let speed = comparison.speed.as_ref().and_then(|speed| speed.disagreement.as_deref());
    blocks.extend(speed.map(|text| Block::Notice("warn", text.into())));
    blocks.push(Block::Paragraph(in_words(comparison)));
    let heads: Vec<&Row> = comparison.rows.iter().filter(|row| row.headline).collect();
    blocks.list(heads.iter().map(|row| head(row)).collect());
    blocks.tiles(heads.iter().take(4).map(|row| tile(row)).collect());
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
                .mark(class, format!("{sign}{}", capital(finding.verdict.into_str())))
                .plain(": ")
                .strong(finding.rule.clone())
                .plain(format!(", {}", finding.summary))
        })
        .collect();
    blocks.list(news);
    blocks
}

fn in_words(comparison: &Comparison) -> Words {
    let parts = counts(comparison).into_iter().map(|(number, word)| {
        let class = if matches!(word, "worse" | "new") { "bad" } else { "good" };
        Words::new().mark(class, format!("{number} {word}"))
    });
    let parts: Vec<Words> = parts.collect();
    let rest = comparison.rows.iter().filter(|row| !row.verdict.is_told()).count() as u64;
    let words = if parts.is_empty() {
        let (strong, rest) = undecided(comparison);
        Words::new().strong(strong).plain(rest)
    } else if rest > 0 {
        let rest = format!("; {} without a measurable difference", count(rest, "figure"));
        joined(parts, ", ").plain(rest)
    } else {
        joined(parts, ", ")
    };
    match comparison.history.runs {
        0 => words.plain(
            ". No other runs show how much two runs of the same thing differ: a documented default is used instead.",
        ),
        runs => words
            .plain(format!(". {} showed how much two runs of the same thing differ.", count(runs as u64, "other run"))),
    }
}

/// `latency.p50 of http://…: faster, −13.4 % (−14.6 to −12.2), from 26.2 ms to 22.7 ms`
fn head(row: &Row) -> Words {
    let words = Words::new().name(row.name()).and(page_of(row)).plain(": ").and(verdict(row));
    let is_told = row.ratio.is_some() || row.difference.is_some();
    let words = if is_told { words.plain(format!(", {}", change(row))) } else { words };
    match from_to(row) {
        Some(ends) => words.plain(format!(", {ends}")),
        None => words,
    }
}

fn from_to(row: &Row) -> Option<String> {
    let [before, after] =
        [row.before?, row.after?].map(|one| figure(row, Some(Figure { low: None, high: None, ..one })));
    Some(format!("from {before} to {after}"))
}

fn tile(row: &Row) -> Tile {
    let change = change(row);
    let value = match row.verdict {
        verdict if verdict.is_told() => change.split(" (").next().unwrap_or_default().to_owned(),
        Verdict::NoMeasurableDifference => format!("no difference{}", margin(row)),
        other => other.to_string(),
    };
    Tile::new(&format!("{}{}", row.name(), page_of(row).text()), value, from_to(row).unwrap_or_default())
}

// --- Words of a row ---

fn page_of(row: &Row) -> Words {
    if row.url.is_empty() { Words::new() } else { Words::new().plain(" of ").name(row.url.clone()) }
}

/// The verdict in its colour, with a sign.
fn verdict(row: &Row) -> Words {
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
    Words::new().mark(class, format!("{sign}{}", said(row)))
}

// --- Tables ---

fn table(caption: &str, rows: &[&Row]) -> Table {
    let has_pages = rows.iter().any(|row| !row.url.is_empty() && row.url != rows[0].url);
    let mut columns = vec!["metric"];
    if has_pages {
        columns.push("page");
    }
    columns.extend(["#before", "#after", "change, 95 % interval", "#floor between runs", "verdict"]);
    let mut table = Table::new(caption, &columns).sortable();
    for row in rows {
        let about = if row.approximate { "≈ " } else { "" };
        let mut cells = vec![Words::new().plain(about).name(row.name()).into()];
        if has_pages {
            cells.push(Words::new().name(row.url.clone()).into());
        }
        let units = if row.in_reference_units { ", in units of the reference work" } else { "" };
        let by = |figure: Option<Figure>| figure.map_or(f64::NAN, |figure| figure.value);
        cells.extend([
            Cell::new(figure(row, row.before)).by(by(row.before)),
            Cell::new(figure(row, row.after)).by(by(row.after)),
            Cell::new(change(row) + units).by(row.ratio.map_or(f64::NAN, |ratio| ratio.value)),
            Cell::new(floor(row)).by(row.floor.unwrap_or(f64::NAN)),
            verdict(row).into(),
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
        blocks.folded(format!("{title}: {}", count(rows.len() as u64, "figure")), table(title, &rows));
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

fn findings(comparison: &Comparison) -> Table {
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
    table
}

fn sides(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (title, side) in [("Before", &comparison.before), ("After", &comparison.after)] {
        let name = |name: &String| Words::new().name(name.clone());
        let dirty = if side.dirty == Some(true) { ", with changes" } else { "" };
        let commit = |commit: &String| Words::new().name(short_commit(commit)).plain(dirty);
        let mut facts = known([
            ("Run", Some(run(side, "not in the store").into())),
            ("Command", Some(format!("unladen {}", side.verb).into())),
            ("Target", Some(name(&side.target))),
            ("Time", side.time.as_deref().map(|time| time_text(time).into())),
            ("Host", side.host.as_ref().map(name)),
            ("Commit", side.commit.as_ref().map(commit)),
            ("Unladen", side.version.as_deref().map(Words::from)),
        ]);
        facts.extend(side.labels.iter().map(|(name, value)| fact(name, value.as_str())));
        blocks.push(Block::Heading(title.into()));
        blocks.push(Block::Facts(facts));
    }
    if let Some(speed) = &comparison.speed {
        let mut table =
            Table::new("Speed of the machine, by its reference work", &["piece", "#time after / before − 1"]);
        for kind in &speed.kinds {
            table.row([Cell::new(kind.name.as_str()), Cell::new(kind.ratio.change_text())]);
        }
        if let Some(ratio) = speed.ratio {
            table.row([Cell::new(Words::new().strong("all")), Cell::new(ratio.change_text())]);
        }
        blocks.table(table);
    }
    blocks
}

//! The page of `unladen prove`: verdicts in words, then their figures.

use unladen_document::{Arm, Change, Comparison, Interaction, Metric, ProveDocument};
use unladen_quantity::{Kind, Span, grouped, lasting, plain, short, signed};

use super::method::{Fact, fact, method, notice};
use super::parts::{self, agents, ended};
use super::prove_pictures::{boxes, distributions};
use crate::figures;
use crate::page::table::{Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks, Page, Tile, of_table};
use crate::verdict;

/// Maximum number of arms with a sentence in the summary.
const MOST_NAMED: usize = 12;

pub(super) fn page(document: &ProveDocument) -> Page {
    let (title, headline) = match document.title.as_str() {
        "" => (&document.target, Words::new().plain("An experiment on ").name(document.target.clone())),
        title => (&document.title, Words::from(title)),
    };
    let mut page = Page::new("proof", title.clone());
    page.headline = headline;
    page.summary(summary(document));
    page.section("gates", "Gates", parts::gates(&document.gates));
    page.section("counts", "Counts", counts(document));
    page.section("latencies", "Latencies", latencies(document));
    page.section("weights", "Weights", weights(document));
    page.section("interactions", "What the changes do together", of_table(interactions(document)));
    page.folded("arms", "Arms", arms(document));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page.remarks("warnings", "Warnings", &document.warnings);
    page
}

// --- Summary ---

fn summary(document: &ProveDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(ended(&document.ended, "The run", "these are the blocks"));
    blocks.extend(parts::verdict(&document.gates));
    blocks.extend(notice(&document.about));
    let arms: Vec<&Arm> = document.changed_arms().collect();
    match arms.as_slice() {
        [arm] => {
            // What is certain first: latencies take longer to tell.
            blocks.extend(weights_in_words(document, arm).map(Block::Paragraph));
            blocks.push(Block::Paragraph(in_words(document, arm)));
            blocks.tiles(tiles(document, arm));
        }
        _ => {
            blocks.list(arms.iter().take(MOST_NAMED).map(|arm| in_words(document, arm)).collect());
            if arms.len() > MOST_NAMED {
                blocks.push(Block::Aside(format!("And {} more, below.", arms.len() - MOST_NAMED).into()));
            }
        }
    }
    blocks.extend(document.unclear_text(verdict::title, |_| true).map(|text| Block::Aside(format!("{text}.").into())));
    if let Some(time) = document.time_for_one_percent_ns {
        let time = lasting(std::time::Duration::from_nanos(time));
        let what = document.first_quantile().map_or("the latency".to_owned(), verdict::title);
        blocks.push(Block::Aside(
            format!("To detect a difference of 1 % of {what}, the run would need {time} in total.").into(),
        ));
    }
    blocks
}

/// Class of a verdict, and its sign for readers who cannot see colours.
fn look(way: Change) -> (&'static str, &'static str) {
    match way {
        Change::Better => ("good", "▼ "),
        Change::Worse => ("bad", "▲ "),
        Change::Equal => ("even", "= "),
        Change::Unclear => ("even", "? "),
    }
}

fn marked(comparison: &Comparison) -> Words {
    let way = comparison.change();
    let (class, sign) = look(way);
    // Shares within a time and rates go up when they get better.
    let sign = match (way, comparison.kind()) {
        (Change::Better, Metric::Within | Metric::Throughput) => "▲ ",
        (Change::Worse, Metric::Within | Metric::Throughput) => "▼ ",
        _ => sign,
    };
    Words::new().mark(class, format!("{sign}{}", verdict::verdict(comparison)))
}

fn in_words(document: &ProveDocument, arm: &Arm) -> Words {
    let mut words = Words::new().plain("With ").strong(name(arm)).plain(": ");
    let latencies: Vec<&Comparison> = document
        .of_arm(&arm.name)
        .filter(|comparison| comparison.kind() == Metric::Latency && !comparison.metric.starts_with("cold."))
        .collect();
    let first = document.first_quantile();
    let Some(main) = latencies.iter().find(|comparison| Some(comparison.metric.as_str()) == first) else {
        let any = document.of_arm(&arm.name).find(|comparison| comparison.kind() != Metric::Weight);
        return match any {
            Some(any) => words.plain(format!("{} ", verdict::title(&any.metric))).and(marked_plain(any)).plain("."),
            None => words.plain("no latency was compared."),
        };
    };
    words = words.plain(format!("{} ", verdict::title(&main.metric))).and(marked_plain(main));
    if main.change() != Change::Unclear {
        words = words.plain(format!(
            ", from {} to {}",
            verdict::value(main, main.baseline),
            verdict::value(main, main.candidate)
        ));
    }
    // The rest is grouped by verdict.
    let others = |way: Change| -> Vec<String> {
        let others = latencies.iter().filter(|other| other.metric != main.metric && other.change() == way);
        others.map(|other| verdict::title(&other.metric)).collect()
    };
    for (way, text) in [
        (Change::Better, "faster"),
        (Change::Worse, "slower"),
        (Change::Equal, "no measurable difference"),
        (Change::Unclear, "unclear"),
    ] {
        let others = others(way);
        if !others.is_empty() {
            words = words.plain(format!("; {text}: {}", others.join(", ")));
        }
    }
    words = words.plain(".");
    let cold = document.of_arm(&arm.name).find(|comparison| comparison.metric.strip_prefix("cold.") == first);
    match cold {
        Some(cold) => words
            .plain(format!(" For first requests, {} ", verdict::title(&cold.metric)))
            .and(marked_plain(cold))
            .plain("."),
        None => words,
    }
}

/// Without its sign, for use within a sentence.
fn marked_plain(comparison: &Comparison) -> Words {
    let (class, _) = look(comparison.change());
    let text = verdict::verdict(comparison);
    let is = if text.starts_with("no ") { "shows" } else { "is" };
    Words::new().plain(format!("{is} ")).mark(class, text)
}

fn name(arm: &Arm) -> String {
    // `candidate` says nothing if it consists of one change.
    match arm.on.as_slice() {
        [] => arm.name.clone(),
        on => on.join(" + "),
    }
}

fn weights_in_words(document: &ProveDocument, arm: &Arm) -> Option<Words> {
    let weights: Vec<&Comparison> =
        document.of_arm(&arm.name).filter(|weight| weight.kind() == Metric::Weight && !weight.is_beside()).collect();
    let mut parts = Vec::new();
    for (way, text) in [(Change::Better, "lighter"), (Change::Worse, "heavier")] {
        let mut of_way: Vec<&&Comparison> = weights.iter().filter(|weight| weight.change() == way).collect();
        of_way.sort_by(|a, b| a.by_rank(b));
        let Some(first) = of_way.first() else { continue };
        let (class, _) = look(way);
        let mut words = Words::new()
            .mark(class, figures::count(of_way.len() as u64, "weight"))
            .plain(format!(" {text}, the largest "))
            .plain(figures::counter(&first.title, first.counter.as_deref().unwrap_or_default()))
            .plain(" of ")
            .name(first.group.clone().unwrap_or_default());
        words = words.plain(format!(" by {}", first.size_text()));
        parts.push(words);
    }
    (!parts.is_empty()).then(|| joined(parts, "; ").plain("."))
}

fn tiles(document: &ProveDocument, arm: &Arm) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let wanted = |metric: &str| document.of_arm(&arm.name).find(|comparison| comparison.metric == metric);
    for comparison in
        document.first_quantile().into_iter().chain(["latency.p95", "latency.p99", "latency.mean"]).filter_map(wanted)
    {
        if tiles.len() == 3 {
            break;
        }
        let value = match comparison.change() {
            Change::Better | Change::Worse => {
                let sign = if comparison.difference.value < 0.0 { "−" } else { "+" };
                let size = comparison.size_text();
                format!("{sign}{}", size.split(" (").next().unwrap_or(&size))
            }
            Change::Equal => format!("no difference{}", verdict::margin(comparison)),
            Change::Unclear => "unclear".to_owned(),
        };
        let note = format!(
            "from {} to {}",
            verdict::value(comparison, comparison.baseline),
            verdict::value(comparison, comparison.candidate)
        );
        tiles.push(Tile::new(&verdict::title(&comparison.metric), value, note));
    }
    let cpu: f64 = document
        .of_arm(&arm.name)
        .filter(|weight| weight.counter.as_deref() == Some("cpu"))
        .filter(|weight| weight.change().is_told() && !weight.is_beside())
        .map(|weight| weight.difference.value)
        .sum();
    if cpu != 0.0 {
        let note = "all groups with a certain difference, per request";
        tiles.insert(0, Tile::new("CPU", signed(Kind::Time, cpu), note));
    }
    tiles
}

// --- Latencies ---

fn latencies(document: &ProveDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    let arms: Vec<&Arm> = document.changed_arms().collect();
    let many = arms.len() > 1;
    let columns: &[&str] = if many {
        &["arm", "metric", "#baseline", "#arm", "verdict, 95 % interval", "#noise floor"]
    } else {
        &["metric", "#baseline", "#candidate", "verdict, 95 % interval", "#noise floor"]
    };
    let mut table = Table::new("Latencies, shares within a time and throughput, against the baseline", columns);
    if many {
        table = table.sortable();
    }
    let mut rows: Vec<&Comparison> = arms
        .iter()
        .flat_map(|arm| document.of_arm(&arm.name))
        .filter(|comparison| comparison.kind() != Metric::Weight)
        .collect();
    // One metric of all arms is kept together.
    let metrics: Vec<&str> = rows.iter().map(|comparison| comparison.metric.as_str()).collect();
    rows.sort_by_key(|comparison| metrics.iter().position(|metric| *metric == comparison.metric));
    for comparison in rows {
        let mut cells = Vec::new();
        if many {
            cells.push(Words::new().name(comparison.arm.clone()).into());
        }
        cells.push(Cell::new(verdict::title(&comparison.metric)));
        cells.extend(values(comparison));
        table.row(cells);
    }
    blocks.table(table);
    blocks.pictures(
        [boxes(document, false), boxes(document, true), distributions(document)].into_iter().flatten().collect(),
    );
    let mut again = Table::new(
        "The baseline against itself",
        &["metric", "#baseline", "#again", "verdict, 95 % interval", "#noise floor"],
    );
    for arm in document.arms.iter().filter(|arm| arm.has("baseline again")) {
        for comparison in document.of_arm(&arm.name).filter(|comparison| comparison.kind() != Metric::Weight) {
            let mut cells = vec![Cell::new(verdict::title(&comparison.metric))];
            cells.extend(values(comparison));
            again.row(cells);
        }
    }
    blocks.folded("The baseline against itself: where the noise floor comes from", again);
    blocks
}

/// Baseline, arm, verdict, floor.
fn values(comparison: &Comparison) -> [Cell; 4] {
    let by = |value: Option<f64>| value.unwrap_or(f64::NAN);
    [
        Cell::new(verdict::value(comparison, comparison.baseline)).by(by(comparison.baseline)),
        Cell::new(verdict::value(comparison, comparison.candidate)).by(by(comparison.candidate)),
        Cell::new(marked(comparison)).by(comparison.ratio.unwrap_or(comparison.difference.value)),
        Cell::new(verdict::floor(comparison)).by(by(comparison.floor)),
    ]
}

// --- Weights ---

fn weights(document: &ProveDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    let arms: Vec<&Arm> = document.changed_arms().collect();
    let many = arms.len() > 1;
    for (way, title) in [
        (Some(Change::Better), "Lighter, per request"),
        (Some(Change::Worse), "Heavier, per request"),
        (Some(Change::Unclear), "Unclear"),
        (Some(Change::Equal), "No measurable difference"),
        (None, "Not on the request's path"),
    ] {
        let columns: &[&str] = if many {
            &["group", "counter", "arm", "#baseline", "#in the arm", "change, 95 % interval", "#noise floor"]
        } else {
            &["group", "counter", "#baseline", "#candidate", "change, 95 % interval", "#noise floor"]
        };
        let mut table = Table::new(title, columns).sortable();
        let mut rows: Vec<&Comparison> = arms
            .iter()
            .flat_map(|arm| document.of_arm(&arm.name))
            .filter(|weight| weight.kind() == Metric::Weight)
            .filter(|weight| Some(weight.change()).filter(|_| !weight.is_beside()) == way)
            .collect();
        rows.sort_by(|a, b| a.by_rank(b));
        for comparison in rows {
            let about = if comparison.approximate == Some(true) { "≈ " } else { "" };
            let counter = figures::counter(&comparison.title, comparison.counter.as_deref().unwrap_or_default());
            let mut cells = vec![
                Words::new().name(comparison.group.clone().unwrap_or_default()).into(),
                Cell::new(format!("{about}{counter}")),
            ];
            if many {
                cells.push(Words::new().name(comparison.arm.clone()).into());
            }
            cells.extend(values(comparison));
            table.row(cells);
        }
        match way.is_some_and(Change::is_told) {
            true => blocks.table(table),
            false => blocks.folded(title, table),
        }
    }
    blocks
}

/// What requests do in the baseline and in the changed arm, as far as it certainly differs.
fn counts(document: &ProveDocument) -> Vec<Block> {
    let columns =
        ["group", "counted, per request", "#baseline", "#with the change", "change, 95 % interval", "#noise floor"];
    let mut table = Table::new("Counted on the first URL, after all timing", &columns).sortable();
    for count in document.counted.iter().filter(|count| count.is_changed) {
        let [before, after] = count.values();
        table.row([
            Words::new().name(count.group.clone()).into(),
            Cell::new(count.title.clone()),
            Cell::new(before),
            Cell::new(after),
            Cell::new(count.change_text()),
            Cell::new(plain(Kind::Count, count.noise_floor)),
        ]);
    }
    let mut blocks = of_table(table);
    let lack = document.not_counted.as_ref().map(|why| format!("Not counted, or not all: {why}."));
    blocks.extend(lack.map(|text| Block::Aside(text.into())));
    blocks
}

// --- The rest ---

fn interactions(document: &ProveDocument) -> Table {
    let mut table =
        Table::new("Whether changes interact", &["changes", "what", "metric", "#ratio − 1", "expected", "verdict"]);
    for interaction in &document.interactions {
        table.row(interaction_row(interaction));
    }
    table
}

fn interaction_row(interaction: &Interaction) -> [Cell; 6] {
    let expected = interaction.expected.map_or(String::new(), Span::change_text);
    let told = match interaction.verdict.as_str() {
        "told" => Words::new().strong("certain"),
        other => Words::new().mark("even", Change::of(other, Metric::Latency).as_str(Metric::Latency)),
    };
    let names = interaction.knobs.iter().map(|knob| Words::new().name(knob.clone())).collect();
    [
        joined(names, " × ").into(),
        Cell::new(interaction.kind.as_str()),
        Cell::new(verdict::title(&interaction.metric)),
        Cell::new(interaction.ratio_span().change_text()),
        Cell::new(expected),
        told.into(),
    ]
}

fn arms(document: &ProveDocument) -> Vec<Block> {
    let columns = ["arm", "role", "changes in force", "#requests", "#failed", "#different body"];
    let mut table = Table::new("What was measured side by side", &columns);
    for arm in &document.arms {
        let on = arm.on.iter().map(|knob| Words::new().name(knob.clone())).collect();
        table.row([
            Words::new().name(arm.name.clone()).into(),
            Cell::new(arm.roles.join(", ")),
            joined(on, ", ").into(),
            Cell::new(grouped(arm.requests as f64, 0)),
            Cell::new(grouped(arm.errors as f64, 0)),
            Cell::new(grouped(arm.changed as f64, 0)),
        ]);
    }
    let mut blocks = Vec::new();
    blocks.table(table);
    blocks.table(agents(&document.agents));
    let profiles = document.profiles.iter().map(|profile| {
        let words =
            Words::new().plain("Profile of ").strong(profile.arm.clone()).plain(": ").name(profile.file.clone());
        match profile.functions_changed {
            Some(changed) => words.plain(format!("; {} changed", figures::count(changed, "function"))),
            None => words,
        }
    });
    blocks.list(profiles.collect());
    blocks
}

fn facts(document: &ProveDocument) -> Vec<Fact> {
    let time = |ns: u64| lasting(std::time::Duration::from_nanos(ns));
    let pace = document.rate.map_or("closed loop".to_owned(), |rate| format!("{}/s", short(Kind::Count, rate)));
    let requests: u64 = document.arms.iter().map(|arm| arm.requests).sum();
    let design = match document.design.as_str() {
        "ab" => "one change against none",
        "each" => "each change alone",
        "ablate" => "each change alone, all, and each left out",
        "factorial" => "all combinations",
        other => other,
    };
    let mut facts = vec![
        fact("Target", Words::new().name(document.target.clone())),
        fact("Design", format!("{design}, {}", figures::count(document.arms.len() as u64, "arm"))),
        fact("Requests", format!("{}, {pace}, at most {} at once", grouped(requests as f64, 0), document.concurrency)),
        fact("Blocks", format!("{} of phases of {}", grouped(document.blocks as f64, 0), time(document.phase_ns))),
        fact("Restarts", grouped(document.restarts as f64, 0)),
        fact("Intervals over", document.resampled.as_str()),
        fact("Time", time(document.elapsed_ns)),
        fact("Cookies", if document.keep_cookies { "sent back" } else { "not kept" }),
    ];
    if let Some(lag) = document.send_lag_p99_ns {
        facts.push(fact("Sent late", format!("99 % at most {}", plain(Kind::Time, lag as f64))));
    }
    if !document.put_back.is_empty() {
        facts.push(fact("Put back", put_back(document)));
    }
    facts
}

/// The sentences begin with the name of the fact.
fn put_back(document: &ProveDocument) -> String {
    let sentences: Vec<&str> =
        document.put_back.iter().map(|sentence| sentence.strip_prefix("put back: ").unwrap_or(sentence)).collect();
    sentences.join("; ")
}

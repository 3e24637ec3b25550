//! The result of `unladen weigh`: what a request costs, what it carries, and what was not looked at.

use unladen_document::{Count, Finding, WeighDocument, WeighedUrl};
use unladen_quantity::{Kind, grouped, lasting, percent, plain};

use super::method::{Fact, fact, method, notice};
use super::parts::{self, ended};
use crate::figures::{self, capital};
use crate::page::finding::{saves, takes};
use crate::page::picture::{Picture, WIDTH, look};
use crate::page::table::{Cell, Table};
use crate::page::words::Words;
use crate::page::{Block, Blocks, Page, Tile, of_findings};

mod weights;

use weights::{following_cpu, name, weights};

/// Maximum findings in the list of what to do.
const MOST_NAMED: usize = 5;

pub(super) fn page(document: &WeighDocument) -> Page {
    let title = match document.urls.as_slice() {
        [url] => url.url.clone(),
        _ => document.target.clone(),
    };
    let mut page = Page::new("weighed", title.clone());
    page.headline = Words::new().plain("What a request costs: ").name(title);
    page.summary(summary(document));
    page.section("gates", "Gates", parts::gates(&document.gates));
    page.section("weights", "Weights", weights(document));
    page.folded("latencies", "Latencies", latencies(document));
    page.section("findings", "Findings", of_findings(&document.findings, document.urls.len() > 1));
    page.folded("not-judged", "What was not examined", not_judged(document));
    page.html_alone("counts", "Counted", counts(document));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page.remarks("warnings", "Warnings", &document.warnings);
    page
}

/// Whether rules looked at all: `--no-findings` leaves all of these empty.
pub(crate) fn has_looked(document: &WeighDocument) -> bool {
    let WeighDocument { findings, counts, not_looked_for, not_judged, .. } = document;
    !(findings.is_empty() && counts.is_empty() && not_looked_for.is_empty() && not_judged.is_empty())
}

fn summary(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(ended(&document.ended, "A request", "these are the blocks"));
    blocks.extend(parts::verdict(&document.gates));
    blocks.extend(notice(&document.about));
    for url in &document.urls {
        blocks.push(Block::Paragraph(cost(document, url)));
    }
    if let [url] = document.urls.as_slice() {
        blocks.pictures(who_spends(document, url).into_iter().collect());
    }
    blocks.push(Block::Paragraph(carries(document)));
    if !document.findings.is_empty() {
        let items =
            document.findings.iter().enumerate().take(MOST_NAMED).map(|(index, finding)| to_do(index + 1, finding));
        let rest = match document.findings.len().saturating_sub(MOST_NAMED) {
            0 => Words::new(),
            more => {
                Words::new().plain("And ").link("#findings", figures::count(more as u64, "further finding")).plain(".")
            }
        };
        blocks.push(Block::ToDo("What to do, the most expensive first", items.collect(), rest));
        if document.findings.iter().filter(|finding| finding.share.known).count() > 1 {
            blocks.push(Block::Aside(
                "Parts of the request may overlap: what several fixes save together can be less than their sum.".into(),
            ));
        }
    }
    if let [url] = document.urls.as_slice() {
        blocks.tiles(tiles(url));
    }
    blocks
}

fn cost(document: &WeighDocument, url: &WeighedUrl) -> Words {
    let mut words = Words::new().plain("A request for ").name(name(url));
    let following = following_cpu(document, url);
    match (&url.total_cpu_ns, following.first()) {
        (Some(total), Some(heaviest)) => {
            words = words.plain(" costs ").strong(figures::span(Kind::Time, *total)).plain(" of CPU");
            if let Some(part) = heaviest.share {
                let all = if following.len() == 1 { "all".to_owned() } else { format!("{} %", percent(part.value)) };
                words = words.plain(format!(", {all} of it in ")).name(heaviest.group.clone());
            }
        }
        _ if !document.weights.is_empty() => {
            words = words.plain(": nothing on this machine was seen to follow the requests, so its cost is not known");
        }
        _ => words = words.plain(" was examined; its cost was not measured in this run"),
    }
    words = words.plain(". ");
    if let Some(half) = figures::latency(&url.latency_ns, "p50") {
        words = words.plain("It is answered in ").strong(plain(Kind::Time, half)).plain(" in the median");
        if let Some((low, high)) = figures::latency_interval(&url.latency_intervals_ns, "p50") {
            words = words.plain(format!(" ({})", figures::interval(Kind::Time, low, high)));
        }
        words = words.plain(". ");
    }
    if let Some(core) = url.requests_per_core_second {
        words = words
            .plain("One core serves at most ")
            .strong(format!("{} of them per second", plain(Kind::Count, core.value)))
            .plain(format!(" ({})", figures::interval(Kind::Count, core.low, core.high)));
        if let Some(machine) = url.requests_per_machine_second {
            let cores = document.processors;
            words = words.plain(format!("; this machine, with {cores} cores, {}", plain(Kind::Count, machine.value)));
        }
        words = words.plain(".");
    }
    words
}

/// The CPU of a request, as a bar of its groups.
fn who_spends(document: &WeighDocument, url: &WeighedUrl) -> Option<Picture> {
    const BAR: f64 = 22.0;
    let total = url.total_cpu_ns?.value;
    let groups = following_cpu(document, url);
    let mut picture = Picture::new("Who spends the CPU of a request", "A bar, with a part for each group.", BAR + 4.0);
    let (shown, rest) = groups.split_at(groups.len().min(MOST_NAMED));
    let mut from = 0.0;
    let mut part = |class: String, name: &str, value: f64| {
        let width = (value / total).clamp(0.0, 1.0) * WIDTH;
        picture.rect(&format!("box {class}"), from, 2.0, width, BAR);
        picture.legend(class.clone(), format!("{name} {}, {} %", plain(Kind::Time, value), percent(value / total)));
        from += width;
    };
    for (index, weight) in shown.iter().enumerate() {
        part(look(index), &weight.group, weight.per_request);
    }
    let others: f64 = rest.iter().map(|weight| weight.per_request).sum();
    if others > 0.0 {
        part(look(shown.len()), "others", others);
    }
    (total > 0.0 && !groups.is_empty()).then_some(picture)
}

fn carries(document: &WeighDocument) -> Words {
    let found = document.findings.len() as u64;
    if found > 0 {
        let words =
            Words::new().plain(if document.urls.len() > 1 { "The requests carry " } else { "The request carries " });
        let words = words.strong(figures::count(found, "pattern") + " of waste").plain(" that can be removed");
        let largest = document.findings.iter().find(|finding| finding.share.known);
        return match largest {
            // A finding without a figure goes first only if it is known to be larger.
            Some(finding) => words
                .plain(match document.findings.first() {
                    Some(first) if std::ptr::eq(first, finding) => "; the largest is ",
                    _ => "; the largest that was measured is ",
                })
                .strong(finding.rule.clone())
                .plain(", which ")
                .and(takes(&finding.share))
                .plain("."),
            None => words.plain(". How much each of them costs is not known."),
        };
    }
    let looked = !document.counts.is_empty();
    let whole = document.not_judged.is_empty() && document.not_looked_for.is_empty();
    match (looked, whole) {
        (true, true) => "No finding: the rules found no waste.".into(),
        (true, false) => Words::new()
            .plain("Nothing was found, ")
            .link("#not-judged", "but not everything could be judged")
            .plain("."),
        (false, false) => Words::new()
            .plain("Nothing was found in the page's answers; ")
            .link("#not-judged", "the rest was not judged")
            .plain("."),
        (false, true) => "The requests were not examined for waste.".into(),
    }
}

fn to_do(number: usize, finding: &Finding) -> Words {
    // Its first sentence says what to do; the finding has the rest.
    let advice = finding.fix.advice.split("; ").next().and_then(|text| text.split(". ").next()).unwrap_or_default();
    let mut words = Words::new().strong(sentence(advice)).plain(" ");
    words = words.plain(sentence(&capital(&finding.summary))).plain(" ");
    if finding.saves_at_most_ns.is_some() {
        words = words.plain("Not proved yet: ").and(saves(finding)).plain(". ");
    }
    words.link(format!("#finding-{number}"), format!("Evidence and fix: {}", finding.rule))
}

/// Adds a capital and a full stop.
fn sentence(text: &str) -> String {
    let text = capital(text.trim_end());
    if text.is_empty() || text.ends_with(['.', '!', '?', ':', '…']) { text } else { format!("{text}.") }
}

fn tiles(url: &WeighedUrl) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(total) = url.total_cpu_ns {
        let ends = figures::interval(Kind::Time, total.low, total.high);
        tiles.push(Tile::new("CPU per request", plain(Kind::Time, total.value), ends));
    }
    if let Some(half) = figures::latency(&url.latency_ns, "p50") {
        let ends = figures::latency_interval(&url.latency_intervals_ns, "p50")
            .map_or(String::new(), |(low, high)| figures::interval(Kind::Time, low, high));
        tiles.push(Tile::new("Latency, median", plain(Kind::Time, half), ends));
    }
    if let Some(core) = url.requests_per_core_second {
        let ends = figures::interval(Kind::Count, core.low, core.high);
        tiles.push(Tile::new("Requests per second and core", plain(Kind::Count, core.value), ends));
    }
    if url.response_bytes > 0 {
        let changed = if url.changed_bodies > 0 { "the first; others differ" } else { "each the same" };
        tiles.push(Tile::new("Size of the answer", plain(Kind::Bytes, url.response_bytes as f64), changed));
    }
    tiles
}

fn latencies(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for url in document.urls.iter().filter(|url| !url.latency_ns.is_empty()) {
        let caption = if document.urls.len() > 1 {
            Words::new().plain("Latency of ").name(name(url))
        } else {
            "Latency of these requests, measured while weights were taken".into()
        };
        blocks.table(parts::latencies(caption, &url.latency_ns, &url.latency_intervals_ns));
    }
    blocks
}

fn not_judged(document: &WeighDocument) -> Vec<Block> {
    let names_page = document.urls.len() > 1;
    let page = |url: &str| if names_page && !url.is_empty() { format!("{url}: ") } else { String::new() };
    let mut items: Vec<Words> = Vec::new();
    for part in &document.not_judged {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It needs {}.", part.takes) };
        let mut words = Words::new().plain(page(&part.url)).strong(capital(&part.what));
        words = words.plain(format!(" was not judged: {}.{takes}", part.why));
        if !part.rules.is_empty() {
            words = words.faint(format!(" Rules that may have missed something: {}.", part.rules.join(", ")));
        }
        items.push(words);
    }
    for part in &document.not_looked_for {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It needs {}.", part.takes) };
        let words = Words::new().plain(page(&part.url)).strong(part.rules.join(", "));
        items.push(words.plain(format!(
            " {} not checked: {}.{takes}",
            if part.rules.len() == 1 { "was" } else { "were" },
            part.why
        )));
    }
    if document.lost_events > 0 {
        let lost = figures::count(document.lost_events, "event");
        items.push(
            format!("{lost} of the trace were lost: counts of files, queries and connections may be too low.").into(),
        );
    }
    match &document.left_behind {
        None if !document.weights.is_empty() => {
            items.push("Files that requests leave behind were not looked for.".into());
        }
        None => {}
        Some(folders) => items.extend(folders.iter().map(|left| {
            Words::new()
                .plain(format!(
                    "Left behind: {}, {}, in ",
                    figures::count(left.files, "file"),
                    plain(Kind::Bytes, left.bytes as f64)
                ))
                .name(left.folder.clone())
        })),
    }
    let mut blocks = Vec::new();
    blocks.list(items);
    blocks
}

fn counts(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (state, caption) in
        [("warm", "What a request does"), ("fresh", "What the first request of a fresh process does")]
    {
        let rows: Vec<&Count> = document.counts.iter().filter(|count| count.state == state).collect();
        if rows.is_empty() {
            continue;
        }
        let mut table = Table::new(caption, &["group", "what", "#per request", "#noise floor"]).sortable();
        for count in rows {
            let value = figures::with_margin(Kind::Count, count.per_request, count.low, count.high);
            let value = if count.invalid { format!("{value} (too low)") } else { value };
            table.row([
                Words::new().name(count.group.clone()).into(),
                Words::new().name(count.counter.clone()).into(),
                Cell::new(value).by(count.per_request),
                Cell::new(plain(Kind::Count, count.noise_floor)).by(count.noise_floor),
            ]);
        }
        blocks.folded(caption, table);
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::Aside("Counts come from tracing, after the timing was done.".into()));
    }
    blocks
}

fn facts(document: &WeighDocument) -> Vec<Fact> {
    if document.weights.is_empty() && document.phase_ns == 0 {
        return vec![fact("Traced requests", grouped(document.requests as f64, 0))];
    }
    let blocks = document.urls.iter().map(|url| url.blocks).max().unwrap_or_default();
    let pace = document.rate.map_or("back to back".to_owned(), |rate| format!("{} a second", plain(Kind::Count, rate)));
    let kept = if document.keep_alive { "kept alive" } else { "one a request" };
    let cookies = if document.keep_cookies { "sent back" } else { "not kept" };
    let mut facts = vec![
        fact("Requests", format!("{}, {pace}, {} at once", grouped(document.requests as f64, 0), document.concurrency)),
        fact("Blocks", format!("{blocks} of four phases of {}", plain(Kind::Time, document.phase_ns as f64))),
        fact("Settle gap", plain(Kind::Time, document.settle_ns as f64)),
        fact("Time", lasting(std::time::Duration::from_nanos(document.elapsed_ns))),
        fact("Connections", kept),
        fact("Cookies", cookies),
        fact("Processors", document.processors.to_string()),
        fact("Other work", format!("{:.2} processors busy while no requests ran", document.background_cores)),
        fact("The readings", format!("{} % of one core", plain(Kind::Count, document.probe_share_of_core * 100.0))),
    ];
    for url in &document.urls {
        if let Some(cpu) = url.client_cpu_ns {
            facts.push(fact(
                "The client",
                format!("{} of CPU per request, over {}", figures::span(Kind::Time, cpu), url.http),
            ));
        }
    }
    facts
}

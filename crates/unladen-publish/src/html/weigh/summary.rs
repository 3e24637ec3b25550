//! [`summary`]: a request's cost, waste and remedies, in words.

use unladen_document::{Finding, WeighDocument, WeighedUrl};
use unladen_quantity::{Kind, percent, plain};

use super::followers::{following_cpu, name};
use crate::figures::{self, capital};
use crate::html::block::{Block, Tile};
use crate::html::finding::{saves, takes};
use crate::html::method::notice;
use crate::html::words::Words;

/// Maximum findings in the summary.
const MOST_NAMED: usize = 5;

pub(super) fn summary(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    match document.ended.as_str() {
        "interrupted" => {
            blocks.push(Block::Notice("warn", "The run was interrupted: these are the blocks until then.".into()));
        }
        "failed" => blocks.push(Block::Notice("bad", "A request failed: these are the blocks until then.".into())),
        _ => {}
    }
    blocks.extend(notice(&document.about));
    for url in &document.urls {
        blocks.push(Block::Paragraph(cost(document, url)));
    }
    blocks.push(Block::Paragraph(carries(document)));
    if let [url] = document.urls.as_slice() {
        let tiles = tiles(document, url);
        if !tiles.is_empty() {
            blocks.push(Block::Tiles(tiles));
        }
    }
    if !document.findings.is_empty() {
        blocks.push(Block::Heading("What to do, the most expensive first".into()));
        let items =
            document.findings.iter().enumerate().take(MOST_NAMED).map(|(index, finding)| to_do(index + 1, finding));
        blocks.push(Block::Numbered(items.collect()));
        if document.findings.len() > MOST_NAMED {
            let more = document.findings.len() - MOST_NAMED;
            let rest = Words::new().plain("And ").link("#findings", figures::count(more as u64, "further finding"));
            blocks.push(Block::Paragraph(rest.plain(".")));
        }
        if document.findings.iter().filter(|finding| finding.share.known).count() > 1 {
            blocks.push(Block::Aside(
                "Parts of the request may overlap: what several fixes save together can be less than their sum.".into(),
            ));
        }
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
            words =
                words.plain(": nothing on this machine was seen to follow the requests, so that its cost is not known");
        }
        _ => words = words.plain(" was looked into; its cost was not measured in this run"),
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
            .strong(format!("{} of them a second", plain(Kind::Count, core.value)));
        if let Some(machine) = url.requests_per_machine_second {
            let cores = document.processors;
            words = words.plain(format!("; this machine, with {cores} cores, {}", plain(Kind::Count, machine.value)));
        }
        words = words.plain(".");
    }
    words
}

fn carries(document: &WeighDocument) -> Words {
    let found = document.findings.len() as u64;
    if found > 0 {
        let words =
            Words::new().plain(if document.urls.len() > 1 { "The requests carry " } else { "The request carries " });
        let words = words.strong(figures::count(found, "pattern") + " of waste").plain(" that can be taken off");
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
            None => words.plain(". How much of the request each is could not be told."),
        };
    }
    let looked = !document.counts.is_empty();
    let whole = document.not_judged.is_empty() && document.not_looked_for.is_empty();
    match (looked, whole) {
        (true, true) => "No finding: nothing that the rules know is carried in vain.".into(),
        (true, false) => Words::new()
            .plain("Nothing was found in what could be judged, ")
            .link("#not-judged", "which is not all")
            .plain("."),
        (false, false) => Words::new()
            .plain("Nothing was found in what the page answers; ")
            .link("#not-judged", "the rest was not judged")
            .plain("."),
        (false, true) => "Nothing was found in what the page answers; what happens inside was not traced.".into(),
    }
}

fn to_do(number: usize, finding: &Finding) -> Words {
    let mut words = Words::new().strong(sentence(&finding.fix.advice)).plain(" ");
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

fn tiles(document: &WeighDocument, url: &WeighedUrl) -> Vec<Tile> {
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
        tiles.push(Tile::new("Requests a second and core", plain(Kind::Count, core.value), ends));
    }
    if url.response_bytes > 0 {
        let changed = if url.changed_bodies > 0 { "the first; later ones differ" } else { "each the same" };
        tiles.push(Tile::new("Size of the answer", plain(Kind::Bytes, url.response_bytes as f64), changed));
    }
    if !document.counts.is_empty() || !document.findings.is_empty() {
        let fresh = document.findings.iter().filter(|finding| finding.state == "fresh").count() as u64;
        let note = if fresh > 0 { format!("{fresh} in first requests of fresh processes") } else { String::new() };
        tiles.push(Tile::new("Findings", document.findings.len().to_string(), note));
    }
    tiles
}

//! The page of `unladen weigh`: what a request costs and what it carries.

use unladen_document::WeighDocument;
use unladen_quantity::{Kind, grouped, lasting, plain};

use super::block::{Block, Blocks};
use super::finding::FindingView;
use super::latency;
use super::method::{Fact, fact, method};
use super::page::Page;
use super::words::Words;
use crate::figures;

mod followers;
mod seen;
mod summary;
mod weights;

use followers::name;
use seen::{counts, not_judged};
use summary::summary;
use weights::weights;

pub(super) fn page(document: &WeighDocument) -> Page {
    let title = match document.urls.as_slice() {
        [url] => url.url.clone(),
        _ => document.target.clone(),
    };
    let mut page = Page::new("weighed", title);
    page.section("summary", "In short", summary(document));
    page.section("weights", "Weights", weights(document));
    page.section("latencies", "Latencies", latencies(document));
    page.section("findings", "Findings", findings(document));
    page.section("not-judged", "What was not looked at", not_judged(document));
    page.section("counts", "Counted", counts(document));
    page.section("method", "Method and machine", method(&document.about, facts(document)));
    let warnings = document.warnings.iter().map(|warning| warning.as_str().into()).collect();
    let mut blocks = Vec::new();
    blocks.list(warnings);
    page.section("warnings", "Warnings", blocks);
    page
}

fn latencies(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for url in document.urls.iter().filter(|url| !url.latency_ns.is_empty()) {
        let caption = if document.urls.len() > 1 {
            Words::new().plain("Latency of ").name(name(url))
        } else {
            "Latency of these requests, measured while weights were taken".into()
        };
        blocks.table(latency::table(caption, &url.latency_ns, &url.latency_intervals_ns));
    }
    blocks
}

// --- Findings ---

fn findings(document: &WeighDocument) -> Vec<Block> {
    if document.findings.is_empty() {
        return Vec::new();
    }
    vec![Block::Findings(FindingView::all(&document.findings, document.urls.len() > 1))]
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
        fact("Other work", format!("{:.2} processors while no requests ran", document.background_cores)),
        fact("The readings", format!("{} % of one core", plain(Kind::Count, document.probe_share_of_core * 100.0))),
    ];
    for url in &document.urls {
        if let Some(cpu) = url.client_cpu_ns {
            facts.push(fact(
                "The client",
                format!("{} of CPU a request, over {}", figures::span(Kind::Time, cpu), url.http),
            ));
        }
    }
    facts
}

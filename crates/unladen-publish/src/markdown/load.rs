//! [`load`]: what users would see.

use unladen_document::{Answer, ByRequest, Latencies, LoadAgent, LoadDocument, Step};
use unladen_quantity::{Kind, grouped, plain};

use super::agents::agents;
use super::inert::{code, prose};
use super::sheet::{Sheet, Table};
use super::weigh::quantiles;
use super::{about, gates};
use crate::figures::{count, interval, latency, latency_interval, share_text};
use crate::verdict::bound_text;

pub(super) fn load(document: &LoadDocument, answers: &[(&str, &Answer)], sheet: &mut Sheet) {
    sheet.part(&format!("## A load on {}", code(&document.target)));
    about::answers(answers, sheet);
    about::ended(&document.ended, sheet);
    if !document.fit && !document.unfit.is_empty() {
        sheet.part(match document.agents.iter().any(|agent| agent.lost.is_some()) {
            true => "**Unfit**: an agent was lost. The figures are those of less than the planned load.",
            false if LoadAgent::lack_records_alone(&document.agents) => {
                "**Unfit**: records were lost. All requests are in the figures, and some in no table by request, step or time."
            }
            false => "**Unfit**: the generator was the bottleneck. The figures are its own, not the server's.",
        });
        sheet.list(document.unfit.iter().map(|why| prose(why)));
    }
    sheet.part(&in_words(document));
    gates::gates(&document.gates, sheet);
    sheet.table(&quantiles(&document.latency_ns, &document.latency_intervals_ns));
    within(document, sheet);
    failures(document, sheet);
    agents(&document.agents, sheet);
    capacity(document, sheet);
    steps(&document.steps, sheet);
    by_request(&document.by_request, sheet);
}

fn in_words(document: &LoadDocument) -> String {
    let how = match document.rate {
        Some(rate) => format!("at {}/s", number(rate)),
        None => format!("with {} under way at once", count(document.concurrency, "request")),
    };
    let mut text = format!(
        "**{} of {}** were answered as expected, {how}: {}/s.",
        grouped(document.requests as f64, 0),
        count(document.planned, "request"),
        number(document.throughput)
    );
    let told = |key: &str| {
        let value = latency(&document.latency_ns, key)?;
        let ends = latency_interval(&document.latency_intervals_ns, key);
        let ends = ends.map(|(low, high)| format!(" ({})", interval(Kind::Time, low, high))).unwrap_or_default();
        Some(format!("**{}**{ends}", plain(Kind::Time, value)))
    };
    if let Some(p50) = told("p50") {
        text.push_str(&format!(" Half of them took at most {p50}"));
        text.push_str(&told("p95").map(|p95| format!(", 95 % at most {p95}.")).unwrap_or_else(|| ".".into()));
    }
    text
}

fn within(document: &LoadDocument, sheet: &mut Sheet) {
    let mut table = Table::new(&["answered within", "of all planned"]);
    for (bound, share) in document.within.iter() {
        table.row(vec![prose(&bound_text(bound)), share_text(*share)]);
    }
    if !table.is_empty() {
        sheet.details("Answered within a time", |sheet| sheet.table(&table));
    }
}

fn failures(document: &LoadDocument, sheet: &mut Sheet) {
    let mut table = Table::new(&["failed", "requests", "the first of them "]);
    for (kind, number) in document.errors.iter() {
        let first = document.error_examples.get(kind).map(|text| prose(text)).unwrap_or_default();
        table.row(vec![code(kind), grouped(*number as f64, 0), first]);
    }
    for (number, what) in [
        (document.unsent, "never sent: the most that may be were under way"),
        (document.abandoned, "under way when interrupted"),
        (document.missing, "missing: the agents that were to send them were lost"),
        (document.cut_short, "not answered in time: in the latencies with the time waited"),
        (document.changed, "answered with another body than the first"),
    ] {
        if number > 0 {
            table.row(vec![String::new(), grouped(number as f64, 0), what.to_owned()]);
        }
    }
    sheet.table(&table);
    if document.statuses.iter().count() > 1 {
        let statuses: Vec<String> = document
            .statuses
            .iter()
            .map(|(status, n)| format!("{} × {}", grouped(*n as f64, 0), code(status)))
            .collect();
        sheet.part(&format!("Statuses: {}.", statuses.join(", ")));
    }
}

fn capacity(document: &LoadDocument, sheet: &mut Sheet) {
    let Some(found) = &document.capacity else { return };
    let limit = code(&found.limit);
    sheet.part(&match (found.highest, found.lowest_broken) {
        (Some(rate), _) => format!("**{}/s** is the highest rate that held {limit}.", number(rate)),
        (None, Some(rate)) => format!("No rate held {limit}; the lowest that broke it is {}/s.", number(rate)),
        (None, None) => format!("No rate held {limit}."),
    });
    if let Some((trial, failure)) = found.broken_by_failures() {
        let (errors, planned) = (grouped(trial.errors as f64, 0), grouped(trial.planned as f64, 0));
        let rate = number(trial.rate);
        sheet
            .part(&format!("At {rate}/s, {errors} of {planned} requests failed, most of them so: {}.", prose(failure)));
    }
    let mut table = Table::new(&["rate", "latency", "95 % interval", "failed", "held "]);
    for trial in &found.trials {
        let ends = trial.low.zip(trial.high);
        table.row(vec![
            format!("{}/s", number(trial.rate)),
            trial.quantile_ns.map(|ns| plain(Kind::Time, ns as f64)).unwrap_or_default(),
            ends.map(|(low, high)| interval(Kind::Time, low as f64, high as f64)).unwrap_or_default(),
            grouped(trial.errors as f64, 0),
            match (trial.unfit, trial.held) {
                (true, _) => "generator too late",
                (_, Some(true)) => "yes",
                (_, Some(false)) => "no",
                (_, None) => "not told",
            }
            .to_owned(),
        ]);
    }
    sheet.details("Rates that were tried", |sheet| sheet.table(&table));
}

fn steps(steps: &[Step], sheet: &mut Sheet) {
    let mut table = Table::new(&["step", "answered", "failed", "p50", "p95", "p99"]);
    for step in steps {
        let rate = match step.from == step.to {
            true => format!("{}/s", number(step.from)),
            false => format!("{} to {}/s", number(step.from), number(step.to)),
        };
        let name = format!("{rate}, {}", plain(Kind::Time, step.time_ns as f64));
        table.row(row(name, step.requests, step.errors, &step.latency_ns));
    }
    if !table.is_empty() {
        sheet.details("Step by step", |sheet| sheet.table(&table));
    }
}

fn by_request(all: &[ByRequest], sheet: &mut Sheet) {
    let mut table = Table::new(&["request", "answered", "failed", "p50", "p95", "p99"]);
    for one in all {
        table.row(row(code(&one.name), one.requests, one.errors, &one.latency_ns));
    }
    if !table.is_empty() {
        sheet.details("Request by request", |sheet| sheet.table(&table));
    }
}

fn row(name: String, requests: u64, errors: u64, latencies: &Latencies) -> Vec<String> {
    let at = |key| latency(latencies, key).map(|ns| plain(Kind::Time, ns)).unwrap_or_default();
    vec![name, grouped(requests as f64, 0), grouped(errors as f64, 0), at("p50"), at("p95"), at("p99")]
}

fn number(rate: f64) -> String {
    grouped(rate, if rate < 100.0 && rate.fract() != 0.0 { 1 } else { 0 })
}

//! The page of `unladen load`: how fast, within which times, and whether the figures are the server's.

use unladen_document::{Capacity, LoadAgent, LoadDocument};
use unladen_quantity::{Kind, grouped, lasting, percent, plain, short};

use super::load_pictures::{distribution, latencies_over_time, percentiles, rates};
use super::method::{Fact, fact, method, notice};
use super::parts::{self, agents, ended, time};
use crate::figures;
use crate::page::table::{Bar, Cell, Table};
use crate::page::words::Words;
use crate::page::{Block, Blocks, Page, Tile};
use crate::verdict::bound_text;

pub(super) fn page(document: &LoadDocument) -> Page {
    let mut page = Page::new("load", document.target.clone());
    page.headline = Words::new().plain("A load on ").name(document.target.clone());
    page.summary(summary(document));
    page.section("gates", "Gates", parts::gates(&document.gates));
    page.section("latencies", "Latencies", latencies(document));
    page.section("outcome", "What happened to the requests", outcome(document));
    let found = document.capacity.as_ref().map_or(Vec::new(), capacity);
    page.folded("capacity", "The search for the highest rate", found);
    page.folded("parts", "Steps and pages", steps_and_pages(document));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page.remarks("warnings", "Warnings", &document.warnings);
    page
}

// --- Summary ---

fn failed(document: &LoadDocument) -> u64 {
    document.errors.iter().map(|(_, count)| *count).sum()
}

fn pace(document: &LoadDocument) -> String {
    match document.rate {
        Some(rate) => format!("{}/s", short(Kind::Count, rate)),
        None => "as fast as they are answered".to_owned(),
    }
}

fn summary(document: &LoadDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.extend(ended(&document.ended, "A request", "these are the requests"));
    blocks.extend(parts::verdict(&document.gates));
    if !document.fit {
        let (verdict, so) = match document.agents.iter().any(|agent| agent.lost.is_some()) {
            true => ("Unfit: an agent was lost.", " The figures below are for less than the planned load: "),
            false if LoadAgent::lack_records_alone(&document.agents) => (
                "Unfit: records were lost.",
                " All requests are in the figures below, but some are missing from the tables by request, step or \
                 time: ",
            ),
            false => ("Unfit: the generator was the bottleneck.", " The figures below are its own, not the server's: "),
        };
        let mut words = Words::new().strong(verdict).plain(so);
        words = words.plain(document.unfit.join("; "));
        blocks.push(Block::Notice("bad", words.plain(".")));
    }
    blocks.extend(notice(&document.about));
    blocks.push(Block::Paragraph(speed(document)));
    blocks.push(Block::Paragraph(answered(document)));
    if let Some(capacity) = &document.capacity {
        blocks.push(Block::Paragraph(held(capacity)));
    }
    if document.fit {
        let mut words = Words::new().plain("The figures are fit for use: they describe the server, not the generator");
        if let Some(lag) = document.send_lag_ns.as_ref().and_then(|lag| lag.get("p99")) {
            words = words
                .plain(format!(", which sent 99 % of the requests at most {} late", plain(Kind::Time, *lag as f64)));
        }
        blocks.push(Block::Paragraph(words.plain(".")));
    }
    blocks.tiles(tiles(document));
    blocks
}

fn speed(document: &LoadDocument) -> Words {
    let rate = match document.rate {
        Some(_) => format!("At {} on average", pace(document)),
        None => format!("With {} at once, sent as fast as they are answered", document.concurrency),
    };
    let mut words = Words::new().plain(rate);
    let told = |key: &str| {
        let value = plain(Kind::Time, figures::latency(&document.latency_ns, key)?);
        let ends = figures::latency_interval(&document.latency_intervals_ns, key);
        let ends = ends.map_or(String::new(), |(low, high)| format!(" ({})", figures::interval(Kind::Time, low, high)));
        Some(Words::new().strong(value).plain(ends))
    };
    words = match told("p50") {
        Some(half) => words.plain(", half of the requests are answered within ").and(half),
        None => words.plain(", no request was answered as expected"),
    };
    if let Some(most) = told("p99") {
        words = words.plain(" and 99 % within ").and(most);
    }
    words.plain(".")
}

fn answered(document: &LoadDocument) -> Words {
    let all = grouped(document.planned as f64, 0);
    let mut words = Words::new();
    if failed(document) == 0 && document.unsent == 0 && document.requests == document.planned {
        words = words.mark("good", format!("All {all} requests")).plain(" were answered as expected");
    } else {
        let not = document.planned.saturating_sub(document.requests);
        words = words
            .mark("bad", format!("{} of {all} requests", grouped(not as f64, 0)))
            .plain(" were not answered as expected");
    }
    words = words.plain(format!(", {}/s were answered", plain(Kind::Count, document.throughput)));
    // Of most interest: the shortest time within which nearly all are answered.
    let nearly = document.within.iter().find(|(_, share)| **share >= 0.95).or(document.within.iter().last());
    if let Some((bound, share)) = nearly {
        words = words.plain("; ").strong(figures::share_text(*share)).plain(format!(" within {}", bound_text(bound)));
    }
    words.plain(".")
}

fn held(capacity: &Capacity) -> Words {
    let words = Words::new();
    let rate = |rate: f64| format!("{}/s", plain(Kind::Count, rate));
    let words = match capacity.highest {
        Some(highest) => {
            words.plain("The server held ").name(capacity.limit.clone()).plain(" up to ").strong(rate(highest))
        }
        None => words.plain("The server held ").name(capacity.limit.clone()).plain(" at no rate that was tried"),
    };
    let words = match capacity.lowest_broken {
        Some(broken) => words.plain(format!(" and broke it at {}.", rate(broken))),
        None => words.plain("; no rate that was tried broke it."),
    };
    match capacity.broken_by_failures() {
        Some((trial, failure)) => {
            let (errors, planned) = (grouped(trial.errors as f64, 0), grouped(trial.planned as f64, 0));
            words
                .plain(format!(" There, {errors} of {planned} requests failed, most of them with: "))
                .name(failure.to_owned())
        }
        None => words,
    }
}

fn tiles(document: &LoadDocument) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for (key, title) in [("p50", "Latency, median"), ("p95", "Latency, p95"), ("p99", "Latency, p99")] {
        let Some(value) = figures::latency(&document.latency_ns, key) else { continue };
        let ends = figures::latency_interval(&document.latency_intervals_ns, key)
            .map_or("too few requests".to_owned(), |(low, high)| figures::interval(Kind::Time, low, high));
        tiles.push(Tile::new(title, plain(Kind::Time, value), ends));
    }
    tiles.push(Tile::new(
        "Answered per second",
        format!("{}/s", plain(Kind::Count, document.throughput)),
        document.rate.map_or(String::new(), |_| format!("planned: {}", pace(document))),
    ));
    let not = document.planned.saturating_sub(document.requests);
    let mut note = format!("of {}", grouped(document.planned as f64, 0));
    for (word, part) in [("failed", failed(document)), ("never sent", document.unsent)] {
        if part > 0 {
            note.push_str(&format!("; {} {word}", grouped(part as f64, 0)));
        }
    }
    tiles.push(Tile::new("Not answered as expected", grouped(not as f64, 0), note));
    tiles
}

// --- Latencies ---

fn latencies(document: &LoadDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    let since = if document.rate.is_some() { "Latency since the planned time" } else { "Latency since the sending" };
    blocks.table(parts::latencies(since, &document.latency_ns, &document.latency_intervals_ns));
    blocks.table(within(document));
    blocks.pictures(
        [distribution(document), percentiles(document), latencies_over_time(document), rates(document)]
            .into_iter()
            .flatten()
            .collect(),
    );
    blocks.table(connections(document));
    blocks
}

fn within(document: &LoadDocument) -> Table {
    let caption = "Answered as expected within a time, of all planned requests";
    let mut table = Table::new(caption, &["within", "", "#share"]).detail();
    let mut is_all = false;
    for (bound, share) in document.within.iter() {
        // Longer times also cover all of them.
        if std::mem::replace(&mut is_all, *share >= 1.0) {
            break;
        }
        table.row([
            Cell::new(bound_text(bound)),
            Cell::default().bar(Bar::of(*share, *share, *share, 1.0)),
            Cell::new(figures::share_text(*share)),
        ]);
    }
    table
}

fn connections(document: &LoadDocument) -> Table {
    let mut table = Table::new("By connection", &["requests", "#number", "#p50", "#p95", "#p99", "#mean"]).detail();
    for (title, part) in
        [("that opened one", &document.new_connections), ("on an open one", &document.reused_connections)]
    {
        let Some(part) = part.as_ref().filter(|part| part.requests > 0) else { continue };
        let mut cells = vec![Cell::new(title), Cell::new(grouped(part.requests as f64, 0))];
        cells.extend(["p50", "p95", "p99", "mean"].map(|key| time(part.latency_ns.get(key))));
        table.row(cells);
    }
    table
}

// --- Outcome ---

fn outcome(document: &LoadDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut statuses = Table::new("Answers by status", &["status", "#answers"]);
    for (status, count) in document.statuses.iter() {
        statuses.row([Cell::new(status), Cell::new(grouped(*count as f64, 0))]);
    }
    let mut errors = Table::new("Failures by kind, with the text of the first", &["kind", "#requests", "the first"]);
    for (kind, count) in document.errors.iter() {
        let first = document.error_examples.get(kind).cloned().unwrap_or_default();
        errors.row([Cell::new(kind), Cell::new(grouped(*count as f64, 0)), Words::new().name(first).into()]);
    }
    let mut facts = Vec::new();
    for (name, count) in [
        ("Never sent", document.unsent),
        ("Not answered in time", document.cut_short),
        ("Abandoned", document.abandoned),
        ("Missing, of lost agents", document.missing),
        ("Different body", document.changed),
    ] {
        if count > 0 {
            facts.push(fact(name, grouped(count as f64, 0)));
        }
    }
    facts.push(fact("Connections", grouped(document.connections as f64, 0)));
    facts.push(fact("Bodies", plain(Kind::Bytes, document.body_bytes as f64)));
    facts.push(fact(
        "Bytes",
        format!(
            "{} sent, {} received",
            plain(Kind::Bytes, document.bytes_sent as f64),
            plain(Kind::Bytes, document.bytes_received as f64)
        ),
    ));
    blocks.table(errors);
    blocks.table(statuses);
    blocks.table(agents(&document.agents));
    blocks.push(Block::Facts(facts));
    blocks
}

fn capacity(capacity: &Capacity) -> Vec<Block> {
    let caption = Words::new().plain("Rates that were tried for ").name(capacity.limit.clone());
    let mut table = Table::new(caption, &["rate", "#requests", "#quantile", "#95 % interval", "#failed", "limit"]);
    for trial in &capacity.trials {
        let ends = match (trial.low, trial.high) {
            (Some(low), Some(high)) => figures::interval(Kind::Time, low as f64, high as f64),
            _ => String::new(),
        };
        let verdict = match (trial.unfit, trial.held) {
            (true, _) => Words::new().plain("unfit: the generator was the bottleneck"),
            (_, Some(true)) => Words::new().mark("good", "held"),
            (_, Some(false)) => Words::new().mark("bad", "broke"),
            (_, None) => Words::new().faint("unclear"),
        };
        table.row([
            Cell::new(format!("{}/s", plain(Kind::Count, trial.rate))),
            Cell::new(grouped(trial.planned as f64, 0)),
            time(trial.quantile_ns.as_ref()),
            Cell::new(ends),
            Cell::new(grouped(trial.errors as f64, 0)),
            verdict.into(),
        ]);
    }
    let mut blocks = vec![Block::Paragraph(held(capacity))];
    blocks.table(table);
    blocks
}

fn steps_and_pages(document: &LoadDocument) -> Vec<Block> {
    const COLUMNS: [&str; 6] = ["#answered", "#failed", "#p50", "#p95", "#p99", "#mean"];
    let row = |name: Words, requests: u64, errors: u64, latency: &unladen_document::Latencies| {
        let mut cells = vec![
            name.into(),
            Cell::new(grouped(requests as f64, 0)).by(requests as f64),
            Cell::new(grouped(errors as f64, 0)).by(errors as f64),
        ];
        cells.extend(["p50", "p95", "p99", "mean"].map(|key| time(latency.get(key))));
        cells
    };
    let columns = |first| std::iter::once(first).chain(COLUMNS).collect::<Vec<_>>();
    let mut steps = Table::new("Step by step of the schedule", &columns("step"));
    for step in &document.steps {
        let lasting = lasting(std::time::Duration::from_nanos(step.time_ns));
        steps.row(row(
            format!("{}, {lasting}", step.rate_text(" to ")).into(),
            step.requests,
            step.errors,
            &step.latency_ns,
        ));
    }
    let mut pages = Table::new("Request by request", &columns("request")).sortable();
    for request in &document.by_request {
        pages.row(row(Words::new().name(request.name.clone()), request.requests, request.errors, &request.latency_ns));
    }
    let mut blocks = Vec::new();
    blocks.table(steps);
    blocks.table(pages);
    blocks
}

// --- Method ---

fn facts(document: &LoadDocument) -> Vec<Fact> {
    let arrivals = match (document.rate, document.arrivals.as_deref()) {
        (Some(_), Some("constant")) => format!("{} at even intervals", pace(document)),
        (Some(_), Some(arrivals)) => format!("{}, {arrivals} arrivals", pace(document)),
        (Some(_), None) => pace(document),
        (None, _) => "closed loop: each request waits for an answer".to_owned(),
    };
    let kept = if document.keep_alive { "kept alive" } else { "one a request" };
    let mut facts = vec![
        fact("Requests", grouped(document.planned as f64, 0)),
        fact("Arrivals", arrivals),
        fact("At once", format!("at most {}", document.concurrency)),
        fact("Time", lasting(std::time::Duration::from_nanos(document.elapsed_ns))),
        fact("Connections", format!("{kept}, {}", document.http)),
        fact("Cookies", if document.keep_cookies { "sent back" } else { "not kept" }),
        fact(
            "Fitness",
            if document.fit { "fit: the figures are the server's" } else { "unfit: the figures are the generator's" },
        ),
    ];
    if let Some(lag) = &document.send_lag_ns {
        let part = |key: &str| lag.get(key).map_or(f64::NAN, |ns| *ns as f64);
        let [half, most, max] = ["p50", "p99", "max"].map(|key| plain(Kind::Time, part(key)));
        facts.push(fact("Sent late", format!("{half} in the median, {most} for 99 %, {max} at worst")));
    }
    let pacing = document
        .pacing
        .as_ref()
        .map_or(String::new(), |pacing| format!(", {} of it to send on time", plain(Kind::Time, pacing.cpu_ns as f64)));
    facts.push(fact("The generator", format!("{} of CPU{pacing}", plain(Kind::Time, document.client_cpu_ns as f64))));
    if document.elapsed_ns > 0 {
        let busy = document.client_cpu_ns as f64 / document.elapsed_ns as f64;
        facts.push(fact("Its thread", format!("worked {} % of the time", percent(busy))));
    }
    facts
}

//! The page of `unladen weigh`: what a request costs and what it carries.

use unladen_document::{Count, Finding, Span, WeighDocument, WeighedUrl, Weight};
use unladen_quantity::{Kind, grouped, lasting, percent, plain};

use super::block::{Block, Blocks, Tile};
use super::finding::{FindingView, share};
use super::latency;
use super::method::{Fact, fact, method, notice};
use super::page::Page;
use super::table::{Bar, Cell, Table};
use super::words::Words;
use crate::figures;

/// Findings that the summary names.
const MOST_NAMED: usize = 5;
/// The machine as a whole is no group among groups.
const MACHINE: &str = "machine";

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

fn name(url: &WeighedUrl) -> String {
    if url.name.is_empty() { url.url.clone() } else { url.name.clone() }
}

// --- Summary ---

fn summary(document: &WeighDocument) -> Vec<Block> {
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

/// What a request of a page costs.
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
            Some(finding) => words
                .plain("; the largest is ")
                .strong(finding.rule.clone())
                .plain(", ")
                .and(share(&finding.share))
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
    if finding.share.known {
        words = words.plain("Saves up to ").and(share(&finding.share)).plain(". ");
    }
    words.link(format!("#finding-{number}"), format!("Evidence and fix: {}", finding.rule))
}

/// Ended, and begun with a capital.
fn sentence(text: &str) -> String {
    let text = capital(text.trim_end());
    if text.is_empty() || text.ends_with(['.', '!', '?', ':', '…']) { text } else { format!("{text}.") }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
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

// --- Weights ---

fn of_url<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> impl Iterator<Item = &'a Weight> {
    document.weights.iter().filter(|weight| weight.url == url.url)
}

fn following_cpu<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> Vec<&'a Weight> {
    let mut rows: Vec<_> = of_url(document, url).filter(|weight| weight.follows && weight.counter == "cpu").collect();
    rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    rows
}

fn weights(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for url in document.urls.iter().filter(|url| of_url(document, url).next().is_some()) {
        if document.urls.len() > 1 {
            blocks.push(Block::Heading(Words::new().name(name(url))));
        }
        blocks.table(cpu(document, url));
        blocks.extend(path(url));
        blocks.table(counters(document, url));
        let rest = not_following(document, url);
        if !rest.is_empty() {
            blocks.push(Block::Folded("What does not follow the requests".into(), vec![Block::Table(Box::new(rest))]));
        }
    }
    if !blocks.is_empty() {
        let note = "Each figure is per request, with its 95 % interval. An effect below the noise floor could not have been told from nothing.";
        blocks.insert(0, Block::Aside(note.into()));
    }
    blocks
}

fn marked(weight: &Weight) -> Words {
    let words = Words::new().name(weight.group.clone());
    if weight.invalid { words.faint(" too low: records of ended processes were lost") } else { words }
}

fn cpu(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "CPU per request: who works for it";
    let mut table =
        Table::new(caption, &["group", "", "#per request", "#noise floor", "#share", "#user mode"]).sortable();
    let following = following_cpu(document, url);
    let untold = of_url(document, url).filter(|weight| !weight.follows && weight.on_path && weight.counter == "cpu");
    let untold: Vec<&Weight> = untold.collect();
    let most = following.iter().chain(&untold).map(|weight| weight.high).fold(0.0, f64::max);
    for weight in following {
        let split = weight.user_share.filter(|user| (user.high - user.low) / 2.0 <= 0.1);
        table.row([
            marked(weight).into(),
            Cell::default().bar(Bar::of(weight.per_request, weight.low, weight.high, most)).by(weight.per_request),
            Cell::new(Words::new().strong(estimate(weight))).by(weight.per_request),
            Cell::new(plain(Kind::Time, weight.noise_floor)).by(weight.noise_floor),
            weight.share.map_or(Cell::default(), |part| Cell::new(share_of(part)).by(part.value)),
            split.map_or(Cell::default(), |user| Cell::new(format!("≈ {} %", percent(user.value))).by(user.value)),
        ]);
    }
    for weight in untold {
        let span = figures::interval(Kind::Time, weight.low, weight.high);
        table.row([
            marked(weight).faint(" on the path; not told from its other work").into(),
            Cell::default().bar(Bar::of(0.0, weight.low, weight.high, most)).by(weight.low),
            Cell::new(span).by(weight.per_request),
            Cell::new(plain(Kind::Time, weight.noise_floor)).by(weight.noise_floor),
        ]);
    }
    let empty = Cell::default;
    if let Some(total) = url.total_cpu_ns {
        let words = Words::new().strong(figures::span(Kind::Time, total));
        table.row([Cell::new("all that follow"), empty(), Cell::new(words).by(total.value), empty(), empty(), empty()]);
    }
    if let Some(rest) = &url.not_following {
        table.row([
            Cell::new(Words::new().faint(format!("not following ({})", figures::count(rest.groups, "group")))),
            empty(),
            Cell::new(figures::span(Kind::Time, rest.cpu_ns)).by(rest.cpu_ns.value),
            Cell::new(plain(Kind::Time, rest.noise_floor)).by(rest.noise_floor),
            empty(),
            empty(),
        ]);
    }
    table
}

fn share_of(part: Span) -> String {
    if part.high <= part.low {
        return figures::share_text(part.value);
    }
    figures::share(unladen_document::OpenSpan { value: part.value, low: Some(part.low), high: Some(part.high) })
}

fn estimate(weight: &Weight) -> String {
    let about = if weight.approximate { "≈ " } else { "" };
    format!("{about}{}", figures::with_margin(figures::kind(&weight.unit), weight.per_request, weight.low, weight.high))
}

fn path(url: &WeighedUrl) -> Option<Block> {
    let path = &url.path;
    let mut words = Words::new();
    if !path.groups.is_empty() {
        let names = path.groups.iter().map(|group| Words::new().name(group.clone())).collect();
        words = words.plain("A request goes through ").and(super::method::joined(names, ", "));
        for peer in &path.not_looked_at {
            words =
                words.plain("; and ").name(peer.peer.clone()).plain(format!(", which is not looked at ({})", peer.why));
        }
        words = words.plain(". ");
    }
    if let Some(unknown) = &path.unknown {
        words = words.plain(format!("The rest of its path is not known: {}", unknown.why));
        if !unknown.takes.is_empty() {
            words = words.plain(format!("; it takes {}", unknown.takes));
        }
        words = words.plain(".");
    }
    (!words.is_empty()).then_some(Block::Paragraph(words))
}

/// All counters but CPU of all groups that follow.
fn counters(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "All else that follows the requests";
    let mut table = Table::new(caption, &["group", "counter", "#per request", "#noise floor"]).sortable();
    let mut rows: Vec<&Weight> =
        of_url(document, url).filter(|weight| weight.follows && weight.counter != "cpu").collect();
    // The machine as a whole goes last; within a group, the document's order is that of the probes.
    rows.sort_by_key(|weight| weight.group == MACHINE);
    for weight in rows {
        table.row(row(weight));
    }
    table
}

fn row(weight: &Weight) -> [Cell; 4] {
    let kind = figures::kind(&weight.unit);
    let group = if weight.group == MACHINE { Words::from("the machine as a whole") } else { marked(weight) };
    [
        group.into(),
        Cell::new(figures::counter(&weight.counter)),
        Cell::new(estimate(weight)).by(weight.per_request),
        Cell::new(plain(kind, weight.noise_floor)).by(weight.noise_floor),
    ]
}

fn not_following(document: &WeighDocument, url: &WeighedUrl) -> Table {
    let caption = "Counters that cannot be told from chance";
    let mut table = Table::new(caption, &["group", "counter", "#per request", "#noise floor"]).sortable();
    for weight in of_url(document, url).filter(|weight| !weight.follows) {
        table.row(row(weight));
    }
    table
}

// --- Latencies ---

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

fn not_judged(document: &WeighDocument) -> Vec<Block> {
    let names_page = document.urls.len() > 1;
    let page = |url: &str| if names_page && !url.is_empty() { format!("{url}: ") } else { String::new() };
    let mut items: Vec<Words> = Vec::new();
    for part in &document.not_judged {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It takes {}.", part.takes) };
        let mut words = Words::new().plain(page(&part.url)).strong(capital(&part.what));
        words = words.plain(format!(" was not judged: {}.{takes}", part.why));
        if !part.rules.is_empty() {
            words = words.faint(format!(" Rules that may have missed something: {}.", part.rules.join(", ")));
        }
        items.push(words);
    }
    for part in &document.not_looked_for {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It takes {}.", part.takes) };
        let words = Words::new().plain(page(&part.url)).strong(part.rules.join(", "));
        items.push(words.plain(format!(
            " {} not looked for: {}.{takes}",
            if part.rules.len() == 1 { "was" } else { "were" },
            part.why
        )));
    }
    if document.lost_events > 0 {
        let lost = figures::count(document.lost_events, "event");
        items.push(
            format!("{lost} of tracing were lost: counts of files, queries and connections may be too low.").into(),
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

// --- Counted ---

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
        blocks.push(Block::Folded(caption.into(), vec![Block::Table(Box::new(table))]));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::Aside("Counts come from tracing, after the timing was done.".into()));
    }
    blocks
}

// --- Method ---

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

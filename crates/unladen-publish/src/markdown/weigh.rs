//! [`weigh`]: what a request costs, and what waste it carries.

use unladen_document::{Answer, Latencies, LatencyIntervals, OpenSpan, WeighDocument, WeighedUrl, Weight};
use unladen_quantity::{Kind, grouped, percent, plain};

use super::inert::{code, listed, prose};
use super::sheet::{Sheet, Table};
use super::{about, findings, gates};
use crate::figures::{QUANTILES, count, counter, interval, kind, latency, latency_interval, share, span, with_margin};

const CPU: &str = "cpu";

pub(super) fn weigh(document: &WeighDocument, answers: &[(&str, &Answer)], sheet: &mut Sheet) {
    match document.urls.as_slice() {
        [_, _, ..] => sheet.part(&format!("## What requests of {} pages cost", document.urls.len())),
        _ => sheet.part(&format!("## What a request costs: {}", code(&document.target))),
    }
    about::answers(answers, sheet);
    about::ended(&document.ended, sheet);
    for url in &document.urls {
        sheet.part(&in_words(document, url));
    }
    sheet.part(&carries(document));
    gates::gates(&document.gates, sheet);
    findings::findings(&document.findings, sheet);
    not_looked_for(document, sheet);
    weights(document, sheet);
    latencies(&document.urls, sheet);
}

fn in_words(document: &WeighDocument, url: &WeighedUrl) -> String {
    let name = if document.urls.len() > 1 { format!("{}: a request", code(&url.name)) } else { "A request".to_owned() };
    let mut costs = Vec::new();
    if let Some(p50) = latency(&url.latency_ns, "p50") {
        let ends = latency_interval(&url.latency_intervals_ns, "p50");
        let ends = ends.map(|(low, high)| format!(" ({})", interval(Kind::Time, low, high))).unwrap_or_default();
        costs.push(format!("takes **{}** in the median{ends}", plain(Kind::Time, p50)));
    }
    if let Some(cpu) = url.total_cpu_ns {
        costs.push(format!("costs **{}** of CPU", span(Kind::Time, cpu)));
    }
    if costs.is_empty() {
        return format!("{name}: {} counted.", count(url.requests, "request"));
    }
    let mut text = format!("{name} {}", costs.join(" and "));
    let largest = document
        .weights
        .iter()
        .filter(|weight| weight.url == url.url && weight.counter == CPU && weight.follows)
        .max_by(|a, b| a.per_request.total_cmp(&b.per_request));
    if let Some((weight, part)) = largest.and_then(|weight| Some((weight, weight.share?))) {
        text.push_str(&format!(", {} % of it in {}", percent(part.value), code(&weight.group)));
    }
    text.push('.');
    if let Some(most) = url.requests_per_core_second {
        let number = |value: f64| grouped(value, if value < 100.0 { 1 } else { 0 });
        text.push_str(&format!(
            " One core serves at most {} requests/s ({} to {}).",
            number(most.value),
            number(most.low),
            number(most.high)
        ));
    }
    let certain = url.path.elsewhere.iter().filter(|station| station.certain).flat_map(|station| {
        let says = match station.on_word_of.as_slice() {
            [] => String::new(),
            [one] => format!(" (as {one} says)"),
            several => format!(" (as {} say)", several.join(" and ")),
        };
        station.groups.iter().map(move |group| format!("{group}{says}"))
    });
    let through: Vec<String> = url.path.groups.iter().cloned().chain(certain).collect();
    if !through.is_empty() {
        text.push_str(&format!(" It goes through {}.", listed(&through, 6)));
    }
    text
}

fn carries(document: &WeighDocument) -> String {
    match document.findings.as_slice() {
        [] if !has_looked(document) => "Nobody looked at what each request repeats.".to_owned(),
        [] if document.not_judged.is_empty() && document.not_looked_for.is_empty() => {
            "No rule found anything, and all of them could look.".to_owned()
        }
        [] => "No rule found anything; not all of them could look at everything.".to_owned(),
        all => {
            let patterns = match all.len() {
                1 => "one pattern of waste".to_owned(),
                several => format!("{several} patterns of waste"),
            };
            format!("It carries **{patterns}**. {}", findings::first(all).unwrap_or_default())
        }
    }
}

/// Whether rules looked at all: `--no-findings` leaves all of these empty.
pub(crate) fn has_looked(document: &WeighDocument) -> bool {
    let WeighDocument { findings, counts, not_looked_for, not_judged, .. } = document;
    !(findings.is_empty() && counts.is_empty() && not_looked_for.is_empty() && not_judged.is_empty())
}

fn not_looked_for(document: &WeighDocument, sheet: &mut Sheet) {
    let takes = |takes: &str| if takes.is_empty() { String::new() } else { format!("; it takes {}", prose(takes)) };
    let judged = document
        .not_judged
        .iter()
        .map(|part| format!("{} was not judged: {}{}", code(&part.what), prose(&part.why), takes(&part.takes)));
    let looked = document.not_looked_for.iter().map(|missing| {
        let rules = listed(&missing.rules, 12);
        format!("{rules} could not be looked for: {}{}", prose(&missing.why), takes(&missing.takes))
    });
    let all: Vec<String> = judged.chain(looked).collect();
    if !all.is_empty() {
        sheet.details("What was not looked at", |sheet| sheet.list(all));
    }
}

fn weights(document: &WeighDocument, sheet: &mut Sheet) {
    let following: Vec<&Weight> = document.weights.iter().filter(|weight| weight.follows).collect();
    let (mut cpu, others): (Vec<&Weight>, Vec<&Weight>) =
        following.into_iter().partition(|weight| weight.counter == CPU);
    cpu.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    let is_several = document.urls.len() > 1;
    let page = |weight: &Weight| {
        let name = document.urls.iter().find(|url| url.url == weight.url).map_or(weight.url.as_str(), |url| &url.name);
        if is_several { format!("{} ", code(name)) } else { String::new() }
    };
    let amount = |weight: &Weight| {
        let text = with_margin(kind(&weight.unit), weight.per_request, weight.low, weight.high);
        let mark = if weight.invalid { " (too low: records were lost)" } else { "" };
        let about = if weight.approximate { "≈ " } else { "" };
        format!("{about}{text}{mark}")
    };
    let floor = |weight: &Weight| plain(kind(&weight.unit), weight.noise_floor);
    if !cpu.is_empty() {
        let mut table = Table::new(&["CPU per request", "± 95 %", "noise floor", "share"]);
        for weight in &cpu {
            let part = weight
                .share
                .map(|part| share(OpenSpan { value: part.value, low: Some(part.low), high: Some(part.high) }))
                .unwrap_or_default();
            table.row(vec![page(weight) + &code(&weight.group), amount(weight), floor(weight), part]);
        }
        sheet.part("### CPU");
        sheet.table(&table);
    }
    if !others.is_empty() {
        let mut table = Table::new(&["group", "per request ", "± 95 %", "noise floor"]);
        for weight in others {
            let cells = vec![
                page(weight) + &code(&weight.group),
                prose(&counter(&weight.title, &weight.counter)),
                amount(weight),
                floor(weight),
            ];
            table.row(cells);
        }
        sheet.details("All other weights", |sheet| sheet.table(&table));
    }
}

fn latencies(urls: &[WeighedUrl], sheet: &mut Sheet) {
    for url in urls {
        let mut table = quantiles(&url.latency_ns, &url.latency_intervals_ns);
        if let Some(max) = latency(&url.latency_ns, "max") {
            table.row(vec!["max seen".into(), plain(Kind::Time, max), String::new()]);
        }
        let of = if urls.len() > 1 { format!(" of {}", super::inert::code_html(&url.name)) } else { String::new() };
        if !table.is_empty() {
            sheet.details(&format!("Latency{of}"), |sheet| sheet.table(&table));
        }
    }
}

/// One row per quantile.
pub(super) fn quantiles(latencies: &Latencies, intervals: &LatencyIntervals) -> Table {
    let mut table = Table::new(&["latency", "", "95 % interval"]);
    for (key, title) in QUANTILES {
        let Some(value) = latency(latencies, key) else { continue };
        let ends = latency_interval(intervals, key).map(|(low, high)| interval(Kind::Time, low, high));
        let ends = ends.unwrap_or_else(|| "too few requests".into());
        table.row(vec![title.into(), plain(Kind::Time, value), ends]);
    }
    table
}

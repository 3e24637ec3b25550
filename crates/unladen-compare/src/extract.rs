//! Figures of documents, by metric.

use unladen_document::{
    BillDocument, Comparison, Count, Document, Finding, Function, Interval, Latencies, LatencyIntervals, LoadDocument,
    OpenSpan, ProfileDocument, ProveDocument, WeighDocument, WeighedUrl, Weight,
};

use crate::key::{Key, findings, kind_of};
use crate::measured::{MANY, Measured};
use crate::row::{Figure, Kind};

/// Maximum figures of one document: one with a hundred groups has five thousand. Documents may come from elsewhere.
const MOST_FIGURES: usize = 20_000;

/// All comparable figures of a document, in its order.
pub(crate) fn figures(document: &Document) -> Vec<(Key, Measured)> {
    let mut figures = match document {
        Document::Weigh(document) => of_weigh(document),
        Document::Load(document) => of_load(document),
        Document::Prove(document) => of_prove(document),
        Document::Profile(document) => of_profile(document),
        Document::Bill(document) => of_bill(document),
        Document::ProfileDiff(_) | Document::ClassmapCheck(_) => Vec::new(),
    };
    figures.extend(findings(document).iter().filter_map(finding));
    // A document from elsewhere may contain anything.
    figures.retain(|(_, measured)| measured.is_finite());
    figures.truncate(MOST_FIGURES);
    figures
}

/// The finding's count.
fn finding(finding: &Finding) -> Option<(Key, Measured)> {
    let first = finding.evidence.figures.first()?;
    let measured = Measured::spanned(first.per_request, first.low, first.high);
    Some((Key::of_finding(finding, &first.unit), Measured { shown: false, ..measured }))
}

/// For the mean and each quantile with an interval; the median is the headline.
fn latencies(url: &str, latencies: &Latencies, intervals: &LatencyIntervals) -> Vec<(Key, Measured)> {
    intervals
        .iter()
        .filter_map(|(name, Interval { low, high })| {
            let value = *latencies.get(name)? as f64;
            let key = Key::new(Kind::Latency, url, format!("latency.{name}"), "ns");
            let measured = Measured::spanned(value, *low as f64, *high as f64);
            Some((key, Measured { headline: name == "p50", ..measured }))
        })
        .collect()
}

/// `unladen.weigh/1`: weights, counts, latencies and sizes.
fn of_weigh(document: &WeighDocument) -> Vec<(Key, Measured)> {
    let mut figures = Vec::new();
    for url in &document.urls {
        figures.extend(total(url));
        figures.extend(document.weights.iter().filter(|weight| weight.url == url.url).map(weighed));
        figures.extend(
            latencies(&url.url, &url.latency_ns, &url.latency_intervals_ns)
                .into_iter()
                // CPU is the page's headline.
                .map(|(key, measured)| {
                    (key, Measured { headline: url.total_cpu_ns.is_none() && measured.headline, ..measured })
                }),
        );
        if url.requests > 0 {
            figures.push((
                Key::new(Kind::Size, &url.url, "response.bytes", "B"),
                Measured::plain(url.response_bytes as f64),
            ));
        }
    }
    figures.extend(document.counts.iter().map(counted));
    figures
}

/// `unladen.bill/1`: what a request of each kind costs. The whole bill depends on the traffic, which is no figure of the
/// site.
fn of_bill(document: &BillDocument) -> Vec<(Key, Measured)> {
    let of_kind = document.kinds.iter().map(|kind| {
        let key = Key::new(Kind::Weight, &kind.kind, "weight.cpu", "ns");
        let measured = Measured::spanned(kind.cpu_ns.value, kind.cpu_ns.low, kind.cpu_ns.high);
        let figure = Figure { noise_floor: Some(kind.noise_floor_ns), ..measured.figure };
        let degrees = degrees(kind.cells);
        (Key { counter: Some("cpu".into()), ..key }, Measured { figure, degrees, headline: true, ..measured })
    });
    of_kind.collect()
}

fn total(url: &WeighedUrl) -> Option<(Key, Measured)> {
    let total = url.total_cpu_ns?;
    let key = Key::new(Kind::Weight, &url.url, "weight.cpu", "ns");
    let measured = Measured::spanned(total.value, total.low, total.high);
    Some((
        Key { counter: Some("cpu".into()), ..key },
        Measured { degrees: degrees(url.blocks), headline: true, ..measured },
    ))
}

fn weighed(weight: &Weight) -> (Key, Measured) {
    let metric = format!("weight.{} {}", weight.counter, weight.group);
    let key = Key::new(Kind::Weight, &weight.url, metric, &weight.unit);
    let measured = Measured::spanned(weight.per_request, weight.low, weight.high);
    (
        Key { group: Some(weight.group.clone()), counter: Some(weight.counter.clone()), ..key },
        Measured {
            figure: Figure { noise_floor: Some(weight.noise_floor), ..measured.figure },
            degrees: degrees(weight.blocks),
            approximate: weight.approximate,
            invalid: weight.invalid,
            shown: weight.follows || weight.on_path,
            ..measured
        },
    )
}

fn counted(count: &Count) -> (Key, Measured) {
    let of_fresh = if count.state == "fresh" { "fresh." } else { "" };
    let metric = format!("{of_fresh}count.{} {}", count.counter, count.group);
    let key = Key::new(Kind::Count, &count.url, metric, "1");
    let measured = Measured::spanned(count.per_request, count.low, count.high);
    (
        Key {
            group: Some(count.group.clone()),
            counter: Some(count.counter.clone()),
            state: Some(count.state.clone()),
            ..key
        },
        Measured {
            figure: Figure { noise_floor: Some(count.noise_floor), ..measured.figure },
            invalid: count.invalid,
            shown: count.low > 0.0 && count.per_request > count.noise_floor,
            ..measured
        },
    )
}

fn degrees(blocks: u64) -> f64 {
    if blocks > 1 { (blocks as f64 - 1.0).min(MANY) } else { MANY }
}

/// `unladen.load/1`: latencies, shares within limits, errors, rates and sizes.
fn of_load(document: &LoadDocument) -> Vec<(Key, Measured)> {
    let mut figures = latencies("", &document.latency_ns, &document.latency_intervals_ns);
    for request in &document.by_request {
        figures.extend(latencies(&request.name, &request.latency_ns, &request.latency_intervals_ns));
    }
    for (limit, part) in document.within.iter() {
        figures.extend(share(Key::new(Kind::Within, "", format!("within.{limit}"), "1"), *part, document.planned));
    }
    let errors: u64 = document.errors.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
    if document.planned > 0 {
        let part = (errors as f64 / document.planned as f64).min(1.0);
        figures.extend(share(Key::new(Kind::Errors, "", "errors", "1"), part, document.planned));
    }
    // An open loop's rate is the requested one. A closed loop sends after each answer, so its throughput is as certain
    // as its mean latency; without an interval it would be taken as exact.
    if let (None, Some(mean), Some(interval)) =
        (document.rate, document.latency_ns.get("mean"), document.latency_intervals_ns.get("mean"))
        && document.throughput > 0.0
        && interval.low > 0
    {
        let share = |end: u64| document.throughput * *mean as f64 / end as f64;
        let measured = Measured::spanned(document.throughput, share(interval.high), share(interval.low));
        figures.push((Key::new(Kind::Rate, "", "throughput", "1/s"), measured));
    }
    if let Some((highest, broken)) = document.capacity.as_ref().and_then(|found| found.highest.zip(found.lowest_broken))
    {
        let metric = Key::new(Kind::Rate, "", "capacity", "1/s");
        figures.push((metric, Measured::spanned(highest, highest, highest.max(broken))));
    }
    // Failed answers have another size.
    if errors == 0 && document.requests > 0 {
        let each = document.bytes_received as f64 / document.requests as f64;
        figures.push((Key::new(Kind::Size, "", "response.bytes", "B"), Measured::plain(each)));
    }
    figures
}

/// A share of requests, with the interval of Wilson (1927), for the count alone: all else that moves it is variation
/// between runs.
fn share(key: Key, part: f64, of: u64) -> Option<(Key, Measured)> {
    const Z: f64 = 1.959_964;
    let n = of as f64;
    if of == 0 || !(0.0..=1.0).contains(&part) {
        return None;
    }
    let (middle, scale) = ((part + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n), Z / (1.0 + Z * Z / n));
    let half = scale * (part * (1.0 - part) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some((key, Measured::spanned(part, (middle - half).min(part), (middle + half).max(part))))
}

/// `unladen.prove/1`: the effect of each change, and the figures of the arms.
fn of_prove(document: &ProveDocument) -> Vec<(Key, Measured)> {
    let judged = document.comparisons.iter().filter(|comparison| is_judged(&comparison.metric));
    judged.flat_map(|comparison| effect(comparison).into_iter().chain(own(comparison))).collect()
}

/// More answers with an error's status are worse; with others, more is neither better nor worse.
fn is_judged(metric: &str) -> bool {
    metric.strip_prefix("statuses.").is_none_or(|status| status.starts_with(['4', '5']))
}

/// Candidate / baseline, both of which contain the machine's speed.
fn effect(comparison: &Comparison) -> Option<(Key, Measured)> {
    let (ratio, low, high) = (comparison.ratio?, comparison.low?, comparison.high?);
    let key = Key::new(Kind::Effect, "", format!("effect.{}", comparison.metric), "1");
    let is_headline = comparison.metric == "latency.p50";
    Some((with_names(key, comparison), Measured { headline: is_headline, ..Measured::spanned(ratio, low, high) }))
}

fn own(comparison: &Comparison) -> Option<(Key, Measured)> {
    let (value, low, high) = (comparison.candidate?, comparison.candidate_low?, comparison.candidate_high?);
    let key = Key::new(kind_of(&comparison.metric), "", comparison.metric.clone(), &comparison.unit);
    let measured = Measured::spanned(value, low, high);
    let approximate = comparison.approximate.unwrap_or(false);
    Some((with_names(key, comparison), Measured { approximate, ..measured }))
}

fn with_names(key: Key, comparison: &Comparison) -> Key {
    Key {
        arm: Some(comparison.arm.clone()),
        group: comparison.group.clone(),
        counter: comparison.counter.clone(),
        ..key
    }
}

/// Functions with less of the whole in both runs are ignored.
const LEAST_SHARE: f64 = 0.01;

/// `unladen.profile/1`: the time of a request, and the shares of functions.
fn of_profile(document: &ProfileDocument) -> Vec<(Key, Measured)> {
    let plain = document.setup.as_ref().map(|setup| setup.plain_ns);
    let time = plain.and_then(|plain| Some((plain.value as f64, plain.low? as f64, plain.high? as f64)));
    let time = time.map(|(value, low, high)| {
        let key = Key::new(Kind::Latency, &document.target, "latency.mean", "ns");
        (key, Measured { headline: true, ..Measured::spanned(value, low, high) })
    });
    let shares = document.functions.iter().flat_map(|function| {
        [("self", function.self_share), ("total", function.total_share)]
            .into_iter()
            .filter_map(|(of, part)| of_function(&document.target, function, of, part))
    });
    time.into_iter().chain(shares).collect()
}

fn of_function(url: &str, function: &Function, of: &str, part: OpenSpan) -> Option<(Key, Measured)> {
    let key = Key::new(Kind::Function, url, format!("function.{of} {}", function.name), "1");
    let measured = Measured::spanned(part.value, part.low?, part.high?);
    Some((
        Key { group: Some(function.file.clone()), counter: Some(of.to_owned()), ..key },
        Measured { shown: part.value >= LEAST_SHARE, ..measured },
    ))
}

#[cfg(test)]
mod tests;

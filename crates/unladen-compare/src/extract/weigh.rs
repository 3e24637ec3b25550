//! `unladen.weigh/1`: weights, counts, latencies and sizes.

use unladen_document::{Count, WeighDocument, WeighedUrl, Weight};

use super::latencies::latencies;
use crate::figure::Figure;
use crate::key::Key;
use crate::measured::{MANY, Measured};
use crate::row::Kind;

pub(super) fn figures(document: &WeighDocument) -> Vec<(Key, Measured)> {
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

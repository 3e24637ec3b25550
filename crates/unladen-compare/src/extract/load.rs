//! `unladen.load/1`: latencies, shares within limits, errors, rates and sizes.

use unladen_document::LoadDocument;

use super::latencies::latencies;
use super::share::share;
use crate::key::Key;
use crate::measured::Measured;
use crate::row::Kind;

pub(super) fn figures(document: &LoadDocument) -> Vec<(Key, Measured)> {
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

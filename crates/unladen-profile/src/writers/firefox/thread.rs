//! The function is [`write`]: the thread of all samples.

use std::io::{self, Write};

use super::column::{column, comma};
use crate::profile::{Profile, Unit};
use crate::writers::json::text;

/// The profiler requires an interval and a time for each sample even if unknown: ns.
pub(super) const INTERVAL: u64 = 1_000_000;

/// Writes the samples request by request, as if they had been answered in turn. `first_request` is the string index of
/// the first request's name.
pub(super) fn write(profile: &Profile, first_request: usize, out: &mut dyn Write) -> io::Result<()> {
    let about = &profile.about;
    let rows = || profile.clusters.iter().flat_map(|cluster| &cluster.weights);
    let count = rows().count();
    let is_time = matches!(about.unit, Unit::Nanoseconds | Unit::CpuNanoseconds);
    let lasts = |weight: u64| match about.unit {
        Unit::Nanoseconds | Unit::CpuNanoseconds => weight,
        Unit::Samples => weight.saturating_mul(about.period_ns.unwrap_or(INTERVAL)),
        // No time: one after the other.
        Unit::Bytes | Unit::Count => INTERVAL,
    };
    let ends: Vec<u64> = rows()
        .scan(0_u64, |end, (_, weight)| {
            *end = end.saturating_add(lasts(*weight));
            Some(*end)
        })
        .collect();
    let begin = |row: usize| row.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let end = ends.last().copied().unwrap_or(0);

    let name = if about.title.is_empty() { "all" } else { &about.title };
    write!(
        out,
        "{{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0"
    )?;
    write!(out, ",\"unregisterTime\":null,\"pausedRanges\":[],\"name\":{0},\"processName\":{0}", text(name))?;
    write!(out, ",\"isMainThread\":true,\"pid\":\"1\",\"tid\":1,\n\"samples\":{{")?;
    // The root is a stack only here.
    let stack = |index: usize| index.checked_sub(1).map_or_else(|| "null".to_owned(), |index| index.to_string());
    column(out, "stack", rows().map(|(id, _)| stack(id.index())))?;
    column(out, "time", (0..count).map(|row| milliseconds(begin(row))))?;
    match is_time {
        true => column(out, "weight", rows().map(|(_, weight)| milliseconds(*weight)))?,
        false => column(out, "weight", rows().map(|(_, weight)| weight))?,
    }
    write!(out, "\"weightType\":\"{}\",\"length\":{count}}},\n\"markers\":{{", weight_type(about.unit))?;

    let requests = if about.are_requests { profile.clusters.as_slice() } else { &[] };
    let mut row = 0;
    let spans: Vec<(u64, u64)> = (requests.iter())
        .map(|cluster| {
            let span = begin(row);
            row += cluster.weights.len();
            (span, begin(row).min(end))
        })
        .collect();
    column(out, "name", (0..requests.len()).map(|index| first_request + index))?;
    column(out, "startTime", spans.iter().map(|(start, _)| milliseconds(*start)))?;
    column(out, "endTime", spans.iter().map(|(_, end)| milliseconds(*end)))?;
    // A marker with both a beginning and an end.
    column(out, "phase", requests.iter().map(|_| 1))?;
    column(out, "category", requests.iter().map(|_| 0))?;
    out.write_all(b"\"data\":[")?;
    for (index, cluster) in requests.iter().enumerate() {
        let samples = cluster.weights.len();
        write!(out, "{}{{\"type\":\"request\",\"unladenSamples\":{samples}}}", comma(index))?;
    }
    write!(out, "],\"length\":{}}}}}", requests.len())
}

fn weight_type(unit: Unit) -> &'static str {
    match unit {
        Unit::Samples | Unit::Count => "samples",
        Unit::Nanoseconds | Unit::CpuNanoseconds => "tracing-ms",
        Unit::Bytes => "bytes",
    }
}

fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

//! The principal type is [`Speedscope`].
//!
//! The format is <https://www.speedscope.app/file-format-schema.json>.

use std::io::{self, Write};

use crate::profile::{Profile, Unit};
use crate::stack::StackId;
use crate::writers::{Writer, comma, text};

/// Up to this number, each request is a profile beside that of all: nobody looks through a longer list.
const MOST_REQUESTS: usize = 50;

/// Prefix of the exporter's name in our own files.
pub(crate) const EXPORTER: &str = "unladen@";
/// Separates the exporter from the profiler's name.
pub(crate) const OF: &str = ", of ";

/// For https://www.speedscope.app. Samples of a known length become ns.
pub(crate) struct Speedscope;

impl Writer for Speedscope {
    fn name(&self) -> &'static str {
        "speedscope"
    }

    fn about(&self) -> &'static str {
        "https://www.speedscope.app"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".speedscope.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let of = if profile.about.profiler.is_empty() { "" } else { OF };
        let exporter = format!("{EXPORTER}{}{of}{}", env!("CARGO_PKG_VERSION"), profile.about.profiler);
        write!(
            out,
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":{}"#,
            text(&exporter)
        )?;
        write!(out, r#","name":{},"activeProfileIndex":0,"shared":{{"frames":["#, text(&profile.about.title))?;
        for (id, frame) in profile.frames.iter() {
            write!(out, "{}{{\"name\":{}", comma(id.index()), text(frame.name))?;
            if !frame.file.is_empty() {
                write!(out, ",\"file\":{}", text(frame.file))?;
            }
            if frame.line > 0 {
                write!(out, ",\"line\":{}", frame.line)?;
            }
            out.write_all(b"}")?;
        }
        out.write_all(b"]},\"profiles\":[\n")?;

        let each = profile.about.are_requests && profile.clusters.len() <= MOST_REQUESTS;
        let count = if each { profile.clusters.len() } else { 0 };
        // A single request is already the whole.
        if count != 1 {
            let weights = profile.self_weights().into_iter();
            let weights = profile.stacks.iter().zip(weights).filter(|(_, weight)| *weight > 0);
            part(out, profile, &all_name(profile), &weights.collect::<Vec<_>>())?;
        }
        for (index, cluster) in profile.clusters.iter().take(count).enumerate() {
            out.write_all(if count == 1 { b"" } else { b",\n" })?;
            part(out, profile, &request_name(index), &cluster.weights)?;
        }
        out.write_all(b"\n]}\n")
    }
}

fn part(out: &mut dyn Write, profile: &Profile, name: &str, weights: &[(StackId, u64)]) -> io::Result<()> {
    let (unit, of_one) = match (profile.about.unit, profile.about.period_ns) {
        (Unit::Samples, Some(period)) => ("nanoseconds", period),
        (Unit::Nanoseconds | Unit::CpuNanoseconds, _) => ("nanoseconds", 1),
        (Unit::Bytes, _) => ("bytes", 1),
        (Unit::Samples | Unit::Count, _) => ("none", 1),
    };
    let scaled = |weight: u64| weight.saturating_mul(of_one);
    let total = weights.iter().fold(0_u64, |sum, (_, weight)| sum.saturating_add(scaled(*weight)));
    let total = profile.about.decimal(total);
    write!(
        out,
        r#"{{"type":"sampled","name":{},"unit":"{unit}","startValue":0,"endValue":{total},"samples":["#,
        text(name)
    )?;
    for (at, (stack, _)) in weights.iter().enumerate() {
        write!(out, "{}[", comma(at))?;
        for (at, frame) in profile.stacks.outwards_in(*stack).into_iter().enumerate() {
            write!(out, "{}{}", comma(at), frame.index())?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"],\"weights\":[")?;
    for (at, (_, weight)) in weights.iter().enumerate() {
        write!(out, "{}{}", comma(at), profile.about.decimal(scaled(*weight)))?;
    }
    out.write_all(b"]}")
}

fn all_name(profile: &Profile) -> String {
    match profile.requests() {
        Some(1) => "1 request".to_owned(),
        Some(requests) => format!("{requests} requests"),
        None => "all".to_owned(),
    }
}

fn request_name(index: usize) -> String {
    format!("request {}", index + 1)
}

/// Number of requests in a profile name by the writer.
pub(crate) fn requests_in(name: &str) -> Option<u64> {
    name.strip_suffix(" requests").or(name.strip_suffix(" request"))?.parse().ok()
}

/// Whether a profile name by the writer is a single request's.
pub(crate) fn is_request(name: Option<&str>) -> bool {
    name.and_then(|name| name.strip_prefix("request ")).is_some_and(|number| number.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests;

//! The principal type is [`Pprof`].
//!
//! The format is `profile.proto` of <https://github.com/google/pprof>.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;

use crate::frame::FrameKind;
use crate::profile::{About, MAX_DECIMALS, Profile, Unit};
use crate::writers::Writer;

/// Further requests are not separated.
pub(crate) const MAX_REQUESTS: u64 = 1 << 20;

/// Label that numbers requests, from 1.
pub(crate) const REQUEST: &str = "unladen.request";

/// For go tool pprof, pprof, Grafana Pyroscope: protocol buffers with gzip.
pub(crate) struct Pprof;

impl Writer for Pprof {
    fn name(&self) -> &'static str {
        "pprof"
    }

    fn about(&self) -> &'static str {
        "go tool pprof, pprof, Grafana Pyroscope: protocol buffers with gzip"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".pb.gz", ".pprof"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let mut out = GzEncoder::new(out, Compression::default());
        write(profile, &mut out)?;
        out.finish()?.flush()
    }
}

fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut table = IndexSet::new();
    let mut indexed = |string: &str| table.insert_full(string.to_owned()).0 as u64;
    indexed("");
    let types = types(profile);
    let about = &profile.about;
    for (at, (kind, unit)) in types.iter().enumerate() {
        // Values are whole.
        let unit = if at == 0 { of_decimals(unit, about) } else { (*unit).to_owned() };
        Message::default().number(1, indexed(kind)).number(2, indexed(&unit)).write(1, out)?;
    }

    let are_labelled = about.are_requests && profile.clusters.len() as u64 <= MAX_REQUESTS;
    let mut stacks: HashMap<_, Vec<u64>> = HashMap::new();
    let label = indexed(REQUEST);
    for (index, cluster) in profile.clusters.iter().enumerate() {
        for (stack, weight) in &cluster.weights {
            let locations = || profile.stacks.inwards_out(*stack).map(|frame| frame.index() as u64 + 1).collect();
            let mut sample = Message::default();
            sample.numbers(1, stacks.entry(*stack).or_insert_with(locations));
            let values = [*weight, weight.saturating_mul(about.period_ns.unwrap_or(1)) / about.of_one()];
            sample.numbers(2, &values.map(signed)[..types.len()]);
            if are_labelled {
                sample.message(3, Message::default().number(1, label).number(3, index as u64 + 1));
            }
            sample.write(2, out)?;
        }
    }

    let mut mappings: HashMap<&str, u64> = HashMap::new();
    for (id, frame) in profile.frames.iter() {
        let is_native = matches!(frame.kind, FrameKind::Native | FrameKind::Kernel);
        let module = match (frame.kind, frame.file) {
            (FrameKind::Kernel, "") => "[kernel.kallsyms]",
            _ if is_native => frame.file,
            _ => "",
        };
        let next = mappings.len() as u64 + 1;
        let mapping = if module.is_empty() { 0 } else { *mappings.entry(module).or_insert(next) };
        if mapping == next {
            // Tells tools not to look for symbols: all are here.
            Message::default().number(1, mapping).number(5, indexed(module)).number(7, 1).write(3, out)?;
        }
        let number = id.index() as u64 + 1;
        let line = u64::from(frame.line);
        let mut location = Message::default();
        location.number(1, number).number(2, mapping);
        location.message(4, Message::default().number(1, number).number(2, line)).write(4, out)?;
        let name = indexed(frame.name);
        let file = indexed(if is_native { "" } else { frame.file });
        Message::default()
            .number(1, number)
            .number(2, name)
            .number(3, name)
            .number(4, file)
            .number(5, line)
            .write(5, out)?;
    }

    let mut rest = Message::default();
    if let (Unit::Samples, Some(period), Some((kind, unit))) = (about.unit, about.period_ns, types.last()) {
        rest.message(11, Message::default().number(1, indexed(kind)).number(2, indexed(unit)));
        rest.number(12, signed(period));
    }
    let requests = if are_labelled { Some(profile.clusters.len() as u64) } else { profile.requests() };
    let comment = Comment { requests, are_labelled, profiler: about.profiler.clone() }.to_string();
    rest.numbers(13, &[indexed(&about.title), indexed(&comment)]);
    rest.number(14, types.last().map_or(0, |(kind, _)| indexed(kind)));
    for string in &table {
        rest.bytes(6, string.as_bytes());
        rest.drain(out)?;
    }
    rest.drain(out)
}

/// Types of samples and their units. Samples of a known time are given in both.
fn types(profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let about = &profile.about;
    match about.unit {
        Unit::Samples if about.period_ns.is_some() => vec![("samples", "count"), ("wall", "nanoseconds")],
        Unit::Samples => vec![("samples", "count")],
        Unit::Nanoseconds => vec![("wall", "nanoseconds")],
        Unit::CpuNanoseconds => vec![("cpu", "nanoseconds")],
        Unit::Bytes => vec![("space", "bytes")],
        Unit::Count => vec![("events", "count")],
    }
}

/// `1/10 count`, if weights have decimals.
fn of_decimals(unit: &str, about: &About) -> String {
    if about.decimals == 0 { unit.to_owned() } else { format!("1/{} {unit}", about.of_one()) }
}

/// The unit and the decimals of a unit by the writer.
pub(crate) fn parse_decimals(unit: &str) -> (&str, u32) {
    let parsed = unit.strip_prefix("1/").and_then(|rest| rest.split_once(' ')).and_then(|(of_one, unit)| {
        let decimals = (1..=MAX_DECIMALS).find(|decimals| 10_u64.pow(*decimals).to_string() == of_one)?;
        Some((unit, decimals))
    });
    parsed.unwrap_or((unit, 0))
}

/// Values are signed.
fn signed(value: u64) -> u64 {
    value.min(i64::MAX as u64)
}

/// `unladen 0.1.0; 120 requests, labelled; excimer`.
#[derive(Debug, PartialEq)]
pub(crate) struct Comment {
    pub(crate) requests: Option<u64>,
    pub(crate) are_labelled: bool,
    pub(crate) profiler: String,
}

pub(crate) fn parse_comment(comment: &str) -> Option<Comment> {
    let mut parts = comment.strip_prefix("unladen ")?.splitn(3, "; ").skip(1);
    let (requests, profiler) = (parts.next()?, parts.next()?.to_owned());
    let (requests, are_labelled) = match requests.strip_suffix(", labelled") {
        Some(requests) => (requests, true),
        None => (requests, false),
    };
    let requests = requests.strip_suffix(" requests").and_then(|count| count.parse().ok());
    Some(Comment { requests, are_labelled, profiler })
}

impl fmt::Display for Comment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labelled = if self.are_labelled { ", labelled" } else { "" };
        write!(formatter, "unladen {}; ", env!("CARGO_PKG_VERSION"))?;
        match self.requests {
            Some(requests) => write!(formatter, "{requests} requests{labelled}; {}", self.profiler),
            None => write!(formatter, "requests unknown{labelled}; {}", self.profiler),
        }
    }
}

/// Encodes a protocol buffer message (<https://protobuf.dev/programming-guides/encoding/>).
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// 0 is left out, as the default.
    fn number(&mut self, field: u64, number: u64) -> &mut Self {
        if number != 0 {
            varint(&mut self.0, field << 3);
            varint(&mut self.0, number);
        }
        self
    }

    fn numbers(&mut self, field: u64, numbers: &[u64]) -> &mut Self {
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| varint(&mut bytes, *number));
        self.bytes(field, &bytes)
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        varint(&mut self.0, field << 3 | 2);
        varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    /// Writes it as a field of the outermost message.
    fn write(&self, field: u64, out: &mut dyn Write) -> io::Result<()> {
        let mut head = Vec::new();
        varint(&mut head, field << 3 | 2);
        varint(&mut head, self.0.len() as u64);
        out.write_all(&head)?;
        out.write_all(&self.0)
    }

    /// Writes and removes its fields.
    fn drain(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests;

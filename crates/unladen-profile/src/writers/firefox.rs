//! The principal type is [`Firefox`].
//!
//! See `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` of
//! <https://github.com/firefox-devtools/profiler>.

use std::io::{self, Write};

use indexmap::IndexSet;

use crate::frame::FrameKind;
use crate::profile::{Profile, Unit};
use crate::writers::{Writer, comma, text};

/// The first version in which threads share their tables; the profiler upgrades it.
const VERSION: u32 = 60;

/// For https://profiler.firefox.com. Requests follow one another in one thread, with a marker for each.
pub(crate) struct Firefox;

impl Writer for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    fn about(&self) -> &'static str {
        "https://profiler.firefox.com"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".firefox.json"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let about = &profile.about;
        let interval = about.period_ns.filter(|period| *period > 0).unwrap_or(INTERVAL) as f64 / 1e6;
        let product = if about.title.is_empty() { "unladen" } else { &about.title };
        write!(
            out,
            "{{\"meta\":{{\"interval\":{interval},\"startTime\":0,\"processType\":0,\"product\":{}",
            text(product)
        )?;
        write!(out, ",\"stackwalk\":1,\"version\":24,\"preprocessedProfileVersion\":{VERSION},\"symbolicated\":true")?;
        write!(out, ",\"importedFrom\":\"unladen\",\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true")?;
        write!(out, ",\"categories\":[")?;
        for (index, (kind, colour)) in CATEGORIES.into_iter().enumerate() {
            let name = kind.into_str();
            write!(
                out,
                "{}{{\"name\":\"{name}\",\"color\":\"{colour}\",\"subcategories\":[\"Other\"]}}",
                comma(index)
            )?;
        }
        let display = "[\"marker-chart\",\"marker-table\",\"timeline-overview\"]";
        let fields = "[{\"key\":\"unladenSamples\",\"label\":\"Samples\",\"format\":\"integer\"}]";
        write!(out, "],\"markerSchema\":[{{\"name\":\"request\",\"display\":{display},\"fields\":{fields}}}]")?;
        write!(out, ",\"unladen\":{}", serde_json::to_string(about)?)?;
        out.write_all(b"},\"libs\":[],\n\"shared\":{")?;
        let requests = if about.are_requests { profile.clusters.len() } else { 0 };
        let first_request = write_tables(profile, requests, out)?;
        out.write_all(b"},\n\"threads\":[")?;
        write_thread(profile, first_request, out)?;
        out.write_all(b"]}\n")
    }
}

/// A column of a table.
fn column<T: std::fmt::Display>(
    out: &mut dyn Write,
    name: &str,
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "{}:[", text(name))?;
    for (index, value) in values.into_iter().enumerate() {
        write!(out, "{}{value}", comma(index))?;
    }
    out.write_all(b"],\n")
}

const NULL: &str = "null";

/// Frame kinds with the profiler's colours. The first grey one is for frames without a kind.
const CATEGORIES: [(FrameKind, &str); 6] = [
    (FrameKind::Group, "grey"),
    (FrameKind::Function, "yellow"),
    (FrameKind::Include, "green"),
    (FrameKind::ClassLookup, "purple"),
    (FrameKind::Native, "blue"),
    (FrameKind::Kernel, "orange"),
];

/// Writes the tables. Request names are among the strings: returns the index of the first.
fn write_tables(profile: &Profile, requests: usize, out: &mut dyn Write) -> io::Result<usize> {
    let mut strings = IndexSet::new();
    let (mut sources, mut libraries) = (IndexSet::new(), IndexSet::new());
    let mut names = Vec::new();
    let (mut source_of, mut library_of) = (Vec::new(), Vec::new());
    for (_, frame) in profile.frames.iter() {
        names.push(strings.insert_full(frame.name).0);
        let is_native = matches!(frame.kind, FrameKind::Native | FrameKind::Kernel);
        let mut index = |indices: &mut IndexSet<usize>| indices.insert_full(strings.insert_full(frame.file).0).0;
        let has_file = !frame.file.is_empty();
        library_of.push(if has_file && is_native { index(&mut libraries) as i64 } else { -1 });
        source_of.push((has_file && !is_native).then(|| index(&mut sources)));
    }
    let first_request = strings.len();

    let count = profile.frames.len();
    let frames = || 0..count;
    let category = |(_, frame): (_, crate::frame::Frame<'_>)| {
        CATEGORIES.iter().position(|(kind, _)| *kind == frame.kind).unwrap_or(0)
    };
    let line = |(_, frame): (_, crate::frame::Frame<'_>)| or_null((frame.line > 0).then_some(frame.line));

    out.write_all(b"\"stackTable\":{")?;
    let stacks = || profile.stacks.iter().skip(1);
    column(out, "frame", stacks().filter_map(|stack| profile.stacks.frame(stack)).map(|frame| frame.index()))?;
    // The root is a stack only here.
    let below = |stack| profile.stacks.below(stack).and_then(|below| below.index().checked_sub(1));
    column(out, "prefix", stacks().map(|stack| or_null(below(stack))))?;
    write!(out, "\"length\":{}}},\n\"frameTable\":{{", profile.stacks.len() - 1)?;
    column(out, "func", frames())?;
    column(out, "address", frames().map(|_| -1))?;
    column(out, "inlineDepth", frames().map(|_| 0))?;
    column(out, "category", profile.frames.iter().map(category))?;
    column(out, "subcategory", frames().map(|_| 0))?;
    for name in ["nativeSymbol", "innerWindowID", "line", "column"] {
        column(out, name, frames().map(|_| NULL))?;
    }
    write!(out, "\"length\":{count}}},\n\"funcTable\":{{")?;
    column(out, "name", names)?;
    column(out, "isJS", frames().map(|_| false))?;
    column(out, "relevantForJS", frames().map(|_| false))?;
    column(out, "resource", library_of)?;
    column(out, "source", source_of.into_iter().map(or_null))?;
    column(out, "lineNumber", profile.frames.iter().map(line))?;
    column(out, "columnNumber", frames().map(|_| NULL))?;
    write!(out, "\"length\":{count}}},\n\"resourceTable\":{{")?;
    column(out, "lib", libraries.iter().map(|_| NULL))?;
    column(out, "host", libraries.iter().map(|_| NULL))?;
    // Libraries.
    column(out, "type", libraries.iter().map(|_| 1))?;
    column(out, "name", &libraries)?;
    write!(out, "\"length\":{}}},\n\"nativeSymbols\":{{", libraries.len())?;
    for name in ["libIndex", "address", "name", "functionSize"] {
        column(out, name, [0_u32; 0])?;
    }
    out.write_all(b"\"length\":0},\n\"sources\":{")?;
    column(out, "uuid", sources.iter().map(|_| NULL))?;
    column(out, "filename", &sources)?;
    write!(out, "\"length\":{}}},\n\"stringArray\":[", sources.len())?;
    for (index, string) in strings.iter().enumerate() {
        write!(out, "{}{}", comma(index), text(string))?;
    }
    for request in 1..=requests {
        write!(out, "{}\"request {request}\"", comma(first_request + request - 1))?;
    }
    out.write_all(b"]")?;
    Ok(first_request)
}

fn or_null<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| NULL.to_owned(), |value| value.to_string())
}

/// The profiler requires an interval and a time for each sample even if unknown: ns.
const INTERVAL: u64 = 1_000_000;

/// Writes the samples request by request, as if they had been answered in turn. `first_request` is the string index of
/// the first request's name.
fn write_thread(profile: &Profile, first_request: usize, out: &mut dyn Write) -> io::Result<()> {
    let about = &profile.about;
    let rows = || profile.clusters.iter().flat_map(|cluster| &cluster.weights);
    let count = rows().count();
    let is_time = matches!(about.unit, Unit::Nanoseconds | Unit::CpuNanoseconds);
    let lasts = |weight: u64| match about.unit {
        Unit::Nanoseconds | Unit::CpuNanoseconds => weight / about.of_one(),
        Unit::Samples => weight.saturating_mul(about.period_ns.unwrap_or(INTERVAL)) / about.of_one(),
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
        true => column(out, "weight", rows().map(|(_, weight)| milliseconds(*weight) / about.of_one() as f64))?,
        false => column(out, "weight", rows().map(|(_, weight)| about.decimal(*weight)))?,
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

#[cfg(test)]
mod tests;

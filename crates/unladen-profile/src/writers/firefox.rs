//! The principal type is [`Firefox`].
//!
//! The format is that of `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` of
//! <https://github.com/firefox-devtools/profiler>.

use std::io::{self, Write};

use crate::frame::FrameKind;
use crate::profile::{Profile, Unit};
use crate::write::Writer;
use crate::writers::json::text;

mod tables;
mod thread;

/// The first version in which threads share their tables; the profiler brings it to its own.
const VERSION: u32 = 60;

/// The profiler asks for an interval, and for a time of each sample, where nobody knows them: ns.
const INTERVAL: u64 = 1_000_000;

/// For https://profiler.firefox.com. Requests follow one another in one thread, with a marker for each.
pub(crate) struct Firefox;

/// What frames are, with the colours that the profiler gives them. The first that is grey is what has none.
const CATEGORIES: [(FrameKind, &str); 6] = [
    (FrameKind::Group, "grey"),
    (FrameKind::Function, "yellow"),
    (FrameKind::Include, "green"),
    (FrameKind::ClassLookup, "purple"),
    (FrameKind::Native, "blue"),
    (FrameKind::Kernel, "orange"),
];

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
            let name = kind.as_str();
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
        let first_request = tables::write(profile, requests, out)?;
        out.write_all(b"},\n\"threads\":[")?;
        thread::write(profile, first_request, out)?;
        out.write_all(b"]}\n")
    }
}

/// What the profiler calls a weight of this unit.
fn weight_type(unit: Unit) -> &'static str {
    match unit {
        Unit::Samples | Unit::Count => "samples",
        Unit::Nanoseconds | Unit::CpuNanoseconds => "tracing-ms",
        Unit::Bytes => "bytes",
    }
}

/// An array.
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

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Firefox`].
//!
//! See `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` of
//! <https://github.com/firefox-devtools/profiler>.

use std::io::{self, Write};

use crate::profile::Profile;
use crate::writer::Writer;
use crate::writers::json::text;

mod column;
mod tables;
mod thread;

use column::comma;
use tables::CATEGORIES;
use thread::INTERVAL;

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

#[cfg(test)]
mod tests;

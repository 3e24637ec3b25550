//! The principal type is [`Speedscope`]: files of Speedscope.
//!
//! The format is <https://www.speedscope.app/file-format-schema.json>.

use crate::frame::{Frame, FrameKind};
use crate::input::Input;
use crate::profile::{About, Profile};
use crate::read_error::ReadError;
use crate::reader::ProfileReader;
use crate::readers::json::{self, Number};
use crate::readers::left_out::LeftOut;
use crate::readers::sum::Sum;
use crate::writers::speedscope as written;

mod document;
mod evented;
mod made;
mod sampled;
mod scale;

use document::{File, Part};
use made::Made;
use scale::Scale;

const FORMAT: &str = "speedscope";

/// Reads files of Speedscope. Each profile of a file that counts the same as the one shown first becomes a cluster;
/// others do not fit into one profile, and are left out.
pub(crate) struct Speedscope;

impl ProfileReader for Speedscope {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Speedscope and what writes for it: Excimer, py-spy, rbspy"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        // PHP writes a backslash before each slash in JSON.
        let schemas: [&[u8]; 2] =
            [b"www.speedscope.app/file-format-schema.json", br"www.speedscope.app\/file-format-schema.json"];
        json::is_object(head)
            && memchr::memmem::find(head, b"\"$schema\"").is_some()
            && schemas.iter().any(|schema| memchr::memmem::find(head, schema).is_some())
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        profile(json::document(FORMAT, input)?).map_err(|what| json::wrong(FORMAT, what))
    }
}

fn profile(file: File) -> Result<Profile, String> {
    let shown = file.active_profile_index.and_then(Number::index).unwrap_or(0);
    let first = file.profiles.get(shown).or(file.profiles.first()).ok_or("profiles: there are none")?;
    let unit = Scale::of(first)?.unit;

    let mut parts: Vec<(usize, &Part)> = file.profiles.iter().enumerate().collect();
    let mut about = About { unit, title: file.name.clone().unwrap_or_default(), ..About::default() };
    let exporter = file.exporter.as_deref().unwrap_or_default();
    match exporter.strip_prefix(written::EXPORTER) {
        Some(rest) => {
            about.profiler = rest.split_once(written::OF).map(|(_, profiler)| profiler.to_owned()).unwrap_or_default();
            about.requests = first.name.as_deref().and_then(written::requests_in);
            about.are_requests = parts.last().is_some_and(|(_, part)| written::is_request(part.name.as_deref()));
            if about.are_requests {
                // The profile of all requests would count each of them twice.
                parts.retain(|(_, part)| written::is_request(part.name.as_deref()));
                about.requests = None;
            }
        }
        None => about.profiler = exporter.split('@').next().unwrap_or_default().to_lowercase(),
    }
    if about.title.is_empty() && parts.len() == 1 && !exporter.starts_with(written::EXPORTER) {
        about.title = first.name.clone().unwrap_or_default();
    }

    let mut profile = Profile::new(about);
    let frames = file.shared.frames.iter().map(|place| {
        let line = place.line.and_then(Number::whole).and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        let file = place.file.as_deref().unwrap_or_default();
        profile.frames.intern(Frame { name: &place.name, file, line, kind: FrameKind::Function })
    });
    let frames = frames.collect();
    let mut made = Made { profile: &mut profile, frames, sum: Sum::default() };
    let mut left_out = LeftOut::default();
    for (index, part) in parts {
        let scale = Scale::of(part)?;
        if scale.unit != unit {
            left_out.add(scale.unit);
            continue;
        }
        match part.kind.as_str() {
            "sampled" => sampled::add(part, scale, &mut made),
            "evented" => evented::add(part, scale, &mut made),
            other => Err(format!("the type is `{other}`, which is neither sampled nor evented")),
        }
        .map_err(|what| format!("profiles[{index}]: {what}"))?;
    }
    profile.notes.extend(left_out.note("profiles", unit));
    Ok(profile)
}

#[cfg(test)]
mod tests;

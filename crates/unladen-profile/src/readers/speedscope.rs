//! The principal type is [`Speedscope`]: files of Speedscope.
//!
//! The format is <https://www.speedscope.app/file-format-schema.json>.

use serde::Deserialize;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::input::Input;
use crate::profile::{About, MAX_DECIMALS, Profile, Unit};
use crate::readers::json::{self, Number};
use crate::readers::{LeftOut, MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::writers::speedscope as written;

const FORMAT: &str = "speedscope";

/// Reads files of Speedscope. Each profile of a file that counts the same as the one shown first becomes a cluster;
/// others do not fit into one profile, and are left out.
pub(crate) struct Speedscope;

impl ProfileReader for Speedscope {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Speedscope, and tools that write for it: Excimer, py-spy, rbspy"
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
    let unit = Scale::of(first, 0)?.unit;
    let decimals = decimals(&file.profiles, unit)?;

    let mut parts: Vec<(usize, &Part)> = file.profiles.iter().enumerate().collect();
    let mut about = About { unit, decimals, title: file.name.clone().unwrap_or_default(), ..About::default() };
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
        let scale = Scale::of(part, decimals)?;
        if scale.unit != unit {
            left_out.add(scale.unit);
            continue;
        }
        match part.kind.as_str() {
            "sampled" => add_samples(part, scale, &mut made),
            "evented" => add_events(part, scale, &mut made),
            other => Err(format!("the type is `{other}`, neither sampled nor evented")),
        }
        .map_err(|what| format!("profiles[{index}]: {what}"))?;
    }
    profile.notes.extend(left_out.note("profiles", unit));
    Ok(profile)
}

/// The part of a Speedscope file that is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    exporter: Option<String>,
    name: Option<String>,
    active_profile_index: Option<Number>,
    shared: Shared,
    profiles: Vec<Part>,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<SharedFrame>,
}

#[derive(Deserialize)]
struct SharedFrame {
    name: String,
    file: Option<String>,
    line: Option<Number>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    unit: String,
    start_value: Option<Number>,
    #[serde(default)]
    samples: Vec<Vec<u32>>,
    #[serde(default)]
    weights: Vec<Number>,
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    at: Number,
    frame: u32,
}

/// What the profiles of a file become.
struct Made<'a> {
    profile: &'a mut Profile,
    frames: Vec<FrameId>,
    sum: Sum,
}

impl Made<'_> {
    fn frame(&self, index: u32) -> Result<FrameId, String> {
        let frame = self.frames.get(index as usize).copied();
        frame.ok_or_else(|| format!("frame {index} of {}", self.frames.len()))
    }
}

/// The unit of a profile's values, and how many of ours are one of them.
#[derive(Clone, Copy, PartialEq)]
struct Scale {
    unit: Unit,
    of_one: u64,
}

/// The most decimals of counts, of all profiles that are read. Times are rounded to whole ns.
fn decimals(parts: &[Part], unit: Unit) -> Result<u32, String> {
    let mut most = 0;
    for part in parts {
        if unit != Unit::Nanoseconds && Scale::of(part, 0)?.unit == unit {
            let events = part.events.iter().map(|event| event.at);
            for number in part.weights.iter().copied().chain(events).chain(part.start_value) {
                // With more, it is refused in its place.
                most = most.max(number.decimals(MAX_DECIMALS).unwrap_or(0));
            }
        }
    }
    Ok(most)
}

impl Scale {
    fn of(part: &Part, decimals: u32) -> Result<Self, String> {
        let count = 10_u64.pow(decimals);
        let (unit, of_one) = match part.unit.as_str() {
            "none" => (Unit::Samples, count),
            "bytes" => (Unit::Bytes, count),
            "nanoseconds" => (Unit::Nanoseconds, 1),
            "microseconds" => (Unit::Nanoseconds, 1000),
            "milliseconds" => (Unit::Nanoseconds, 1_000_000),
            "seconds" => (Unit::Nanoseconds, 1_000_000_000),
            other => return Err(format!("`{other}` is not a known unit")),
        };
        Ok(Self { unit, of_one })
    }

    /// A value in ours. Times are rounded; counts have at most [`MAX_DECIMALS`].
    fn weight(self, value: Number) -> Result<u64, String> {
        let is_time = self.unit == Unit::Nanoseconds;
        let is_exact = is_time || value.decimals(MAX_DECIMALS).is_some();
        let weight = if is_time || self.of_one > 1 { value.times(self.of_one) } else { value.whole() };
        let weight = weight.filter(|_| is_exact);
        weight.ok_or_else(|| format!("{value} is not a number of {}", self.unit.into_str()))
    }
}

/// A profile of samples, each with its whole stack.
fn add_samples(part: &Part, scale: Scale, made: &mut Made<'_>) -> Result<(), String> {
    if part.samples.len() != part.weights.len() {
        return Err(format!("there are {} samples and {} weights", part.samples.len(), part.weights.len()));
    }
    let cluster = made.profile.begin_request();
    for (at, (frames, weight)) in part.samples.iter().zip(&part.weights).enumerate() {
        let weight = scale.weight(*weight).and_then(|weight| made.sum.add(weight));
        let weight = weight.map_err(|what| format!("weights[{at}]: {what}"))?;
        if frames.len() > MAX_DEPTH {
            return Err(format!("samples[{at}]: {} frames are more than {MAX_DEPTH}", frames.len()));
        }
        let mut stack = made.profile.stacks.root();
        for index in frames {
            let frame = made.frame(*index).map_err(|what| format!("samples[{at}]: {what}"))?;
            stack = made.profile.stacks.push(stack, frame);
        }
        made.profile.add(cluster, stack, weight);
    }
    Ok(())
}

/// Adds it as a cluster: each stack weighs the time during which it was the whole one. Time without calls has no
/// weight.
fn add_events(part: &Part, scale: Scale, made: &mut Made<'_>) -> Result<(), String> {
    let cluster = made.profile.begin_request();
    let mut last = scale.weight(part.start_value.unwrap_or(Number::Whole(0)))?;
    let mut called = Vec::new();
    let mut stack = made.profile.stacks.root();
    for (at, event) in part.events.iter().enumerate() {
        let wrong = |what| format!("events[{at}]: {what}");
        let now = scale.weight(event.at).map_err(wrong)?;
        let passed =
            now.checked_sub(last).ok_or_else(|| wrong(format!("{} is before the previous event", event.at)))?;
        if passed > 0 && !called.is_empty() {
            made.profile.add(cluster, stack, made.sum.add(passed).map_err(wrong)?);
        }
        last = now;
        let frame = made.frame(event.frame).map_err(wrong)?;
        match event.kind.as_str() {
            "O" if called.len() == MAX_DEPTH => return Err(wrong(format!("more than {MAX_DEPTH} calls are open"))),
            "O" => {
                called.push(stack);
                stack = made.profile.stacks.push(stack, frame);
            }
            "C" if made.profile.stacks.frame(stack) != Some(frame) => {
                return Err(wrong(format!("frame {} ends, but is not the one that began last", event.frame)));
            }
            "C" => stack = called.pop().ok_or_else(|| wrong("more ends than begins".to_owned()))?,
            other => return Err(wrong(format!("the type is `{other}`, neither O nor C"))),
        }
    }
    if called.is_empty() { Ok(()) } else { Err(format!("{} calls never end", called.len())) }
}

#[cfg(test)]
mod tests;

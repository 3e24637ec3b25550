//! The principal type is [`Firefox`]: files of Firefox's profiler, in the processed format.
//!
//! See `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` of
//! <https://github.com/firefox-devtools/profiler>.

use std::io::BufRead;
use std::ops::RangeInclusive;

use serde::Deserialize;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::readers::json::{self, Number};
use crate::readers::{LeftOut, MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::stack::StackId;

const FORMAT: &str = "firefox";

const VERSION: &str = "preprocessedProfileVersion";
const RAW: &str = "this is a browser's raw recording: open it in https://profiler.firefox.com and save it there";

/// Reads files of Firefox's profiler. Each thread whose samples have the same kind of weight as the first's becomes a
/// cluster; others do not fit into one profile, and are left out.
pub(crate) struct Firefox;

impl ProfileReader for Firefox {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Firefox's profiler, and tools that write for it: samply"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        // The browser's own recordings are recognised too, to be refused with advice.
        json::is_object(head) && has(head, "meta") && (has(head, VERSION) || is_raw(head))
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let is_raw = is_raw(input.fill_buf().unwrap_or_default());
        // Fields of raw recordings have other types.
        let document = json::document(FORMAT, input).map_err(|error| match error {
            ReadError::Fault(_) if is_raw => json::wrong(FORMAT, RAW),
            error => error,
        })?;
        profile(document).map_err(|what| json::wrong(FORMAT, what))
    }
}

fn has(head: &[u8], name: &str) -> bool {
    memchr::memmem::find(head, format!("\"{name}\"").as_bytes()).is_some()
}

/// Whether a file that begins like this is what the browser recorded.
fn is_raw(head: &[u8]) -> bool {
    !has(head, VERSION) && has(head, "stackwalk") && has(head, "interval")
}

/// The part of the JSON that stacks are made of.
///
/// Everything may be missing: tables have moved between threads and what they share, and a file of another kind or
/// version is recognised by its version alone.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    meta: Meta,
    libs: Vec<Lib>,
    /// From version 56.
    shared: Tables,
    threads: Vec<Thread>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    preprocessed_profile_version: Option<Number>,
    /// ms.
    interval: Option<Number>,
    product: Option<String>,
    categories: Vec<Category>,
    /// The profile's origin, in our own files.
    unladen: Option<serde_json::Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Category {
    name: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Lib {
    name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Tables {
    stack_table: Option<StackTable>,
    frame_table: Option<FrameTable>,
    func_table: Option<FuncTable>,
    resource_table: Option<ResourceTable>,
    string_array: Option<Vec<String>>,
    /// From version 58.
    sources: Option<SourceTable>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Thread {
    samples: Samples,
    markers: Markers,
    stack_table: Option<StackTable>,
    frame_table: Option<FrameTable>,
    func_table: Option<FuncTable>,
    resource_table: Option<ResourceTable>,
    string_array: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Samples {
    stack: Vec<Option<Number>>,
    weight: Option<Vec<Number>>,
    weight_type: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Markers {
    data: Vec<Option<Marker>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Marker {
    /// Number of samples of a request, in our own files.
    unladen_samples: Option<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct StackTable {
    frame: Vec<Number>,
    /// Until version 65.
    prefix: Vec<Option<Number>>,
    /// From version 66: distance back to the stack below; 0 for none.
    prefix_offset: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FrameTable {
    func: Vec<Number>,
    category: Vec<Option<Number>>,
    /// From version 70.
    lib: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct FuncTable {
    name: Vec<Number>,
    resource: Vec<Number>,
    /// Until version 57.
    file_name: Vec<Option<Number>>,
    /// From version 58.
    source: Vec<Option<Number>>,
    line_number: Vec<Option<Number>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResourceTable {
    name: Vec<Number>,
    #[serde(rename = "type")]
    kind: Vec<Number>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SourceTable {
    filename: Vec<Number>,
}

const LIBRARY: u64 = 1;

/// The tables that a thread's stacks refer to, its own or shared ones.
struct Places<'a> {
    stacks: &'a StackTable,
    frames: &'a FrameTable,
    functions: &'a FuncTable,
    resources: Option<&'a ResourceTable>,
    sources: Option<&'a SourceTable>,
    strings: &'a [String],
    categories: &'a [Category],
    libs: &'a [Lib],
}

impl<'a> Places<'a> {
    /// For a thread, of which at most strings and sources are shared; without one, the shared tables.
    fn new(document: &'a Document, thread: Option<&'a Thread>) -> Result<Self, String> {
        let shared = &document.shared;
        let (stacks, frames, functions, resources, strings) = match thread {
            Some(Thread { stack_table, frame_table, func_table, resource_table, string_array, .. }) => {
                (stack_table, frame_table, func_table, resource_table, string_array)
            }
            None => {
                let Tables { stack_table, frame_table, func_table, resource_table, string_array, .. } = shared;
                (stack_table, frame_table, func_table, resource_table, string_array)
            }
        };
        Ok(Self {
            stacks: stacks.as_ref().ok_or("there is no stackTable")?,
            frames: frames.as_ref().ok_or("there is no frameTable")?,
            functions: functions.as_ref().ok_or("there is no funcTable")?,
            resources: resources.as_ref(),
            sources: shared.sources.as_ref(),
            strings: strings.as_ref().or(shared.string_array.as_ref()).ok_or("there is no stringArray")?,
            categories: &document.meta.categories,
            libs: &document.libs,
        })
    }

    fn stacks(&self, profile: &mut Profile) -> Result<Vec<StackId>, String> {
        let count = self.frames.func.len();
        let frames =
            (0..count).map(|index| self.frame(index, profile).map_err(|what| format!("frameTable, {index}: {what}")));
        let frames = frames.collect::<Result<Vec<_>, _>>()?;

        let mut stacks: Vec<StackId> = Vec::with_capacity(self.stacks.frame.len());
        let mut depths: Vec<usize> = Vec::with_capacity(self.stacks.frame.len());
        for (index, frame) in self.stacks.frame.iter().enumerate() {
            let wrong = |what: String| format!("stackTable, {index}: {what}");
            let frame = frame.index().and_then(|frame| frames.get(frame));
            let frame = frame.ok_or_else(|| wrong(format!("no frame of {count}")))?;
            let (below, depth) = match self.below(index).map_err(wrong)? {
                Some(below) => (stacks[below], depths[below] + 1),
                None => (profile.stacks.root(), 1),
            };
            if depth > MAX_DEPTH {
                return Err(wrong(format!("a stack of more than {MAX_DEPTH} frames")));
            }
            stacks.push(profile.stacks.push(below, *frame));
            depths.push(depth);
        }
        Ok(stacks)
    }

    /// The stack below, which precedes this one.
    fn below(&self, index: usize) -> Result<Option<usize>, String> {
        if let Some(offset) = self.stacks.prefix_offset.get(index) {
            let offset = offset.index().filter(|offset| *offset <= index);
            return match offset.ok_or("the prefixOffset leads out of the table")? {
                0 => Ok(None),
                offset => Ok(Some(index - offset)),
            };
        }
        match self.stacks.prefix.get(index).ok_or("there is no prefix")? {
            None => Ok(None),
            Some(Number::Double(-1.0)) => Ok(None),
            Some(prefix) => {
                let below = prefix.index().filter(|below| *below < index);
                below.map(Some).ok_or_else(|| format!("the prefix {prefix} is not an earlier stack"))
            }
        }
    }

    fn frame(&self, index: usize, profile: &mut Profile) -> Result<FrameId, String> {
        let function = self.frames.func[index].index().filter(|function| *function < self.functions.name.len());
        let function = function.ok_or_else(|| format!("no function of {}", self.functions.name.len()))?;
        let name = self.string(self.functions.name[function])?;

        let resource = self.functions.resource.get(function).and_then(|resource| resource.index());
        let resource = resource.zip(self.resources).and_then(|(resource, table)| {
            let is_library = table.kind.get(resource).and_then(|kind| kind.whole()) == Some(LIBRARY);
            table.name.get(resource).filter(|_| is_library)
        });
        let library = match resource {
            Some(name) => Some(self.string(*name)?),
            None => {
                let lib = self.frames.lib.get(index).and_then(|lib| lib.index()).and_then(|lib| self.libs.get(lib));
                lib.and_then(|lib| lib.name.as_deref())
            }
        };
        let source = self.functions.source.get(function).copied().flatten().and_then(Number::index);
        let source = source.zip(self.sources).and_then(|(source, table)| table.filename.get(source).copied());
        let source = source.or(self.functions.file_name.get(function).copied().flatten());
        let source = source.map(|source| self.string(source)).transpose()?;

        let category = self.frames.category.get(index).copied().flatten().and_then(Number::index);
        let category =
            category.and_then(|category| self.categories.get(category)).map(|category| category.name.as_str());
        let kind = kind(category.unwrap_or_default(), library.is_some());
        let is_native = matches!(kind, FrameKind::Native | FrameKind::Kernel);
        let file = if is_native { library.or(source) } else { source.or(library) };
        let line = self.functions.line_number.get(function).copied().flatten().and_then(Number::whole);
        let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        Ok(profile.frames.intern(Frame { name, file: file.unwrap_or_default(), line, kind }))
    }

    fn string(&self, index: Number) -> Result<&'a str, String> {
        let string = index.index().and_then(|index| self.strings.get(index));
        string.map(String::as_str).ok_or_else(|| format!("string {index} of {}", self.strings.len()))
    }
}

/// Kind of a frame: our own files name categories like it, and others have one for the kernel too.
fn kind(category: &str, is_of_library: bool) -> FrameKind {
    const KINDS: [FrameKind; 5] =
        [FrameKind::Function, FrameKind::Include, FrameKind::ClassLookup, FrameKind::Native, FrameKind::Group];
    if category.eq_ignore_ascii_case(FrameKind::Kernel.into_str()) {
        return FrameKind::Kernel;
    }
    let named = KINDS.into_iter().find(|kind| kind.into_str() == category);
    named.unwrap_or(if is_of_library { FrameKind::Native } else { FrameKind::Function })
}

/// Format versions with documented changes.
const VERSIONS: RangeInclusive<u64> = 41..=70;

/// Builds the profile from a file's samples.
fn profile(document: Document) -> Result<Profile, String> {
    let version = document.meta.preprocessed_profile_version.ok_or(RAW)?;
    if !version.whole().is_some_and(|version| VERSIONS.contains(&version)) {
        let (first, last) = (VERSIONS.start(), VERSIONS.end());
        return Err(format!("version {version} of the format: {first} to {last} can be read"));
    }
    let ours = document.meta.unladen.clone().and_then(|about| serde_json::from_value::<About>(about).ok());
    let is_used = |thread: &&Thread| ours.is_some() || !thread.samples.stack.is_empty();
    let threads: Vec<&Thread> = document.threads.iter().filter(is_used).collect();
    let unit = threads.first().map_or(Ok(Unit::Samples), |thread| unit(&thread.samples))?;
    let about = match ours {
        Some(about) => about,
        None => About {
            unit,
            title: document.meta.product.clone().unwrap_or_default(),
            period_ns: period(&document).filter(|_| unit == Unit::Samples),
            ..About::default()
        },
    };
    let are_requests = about.are_requests;
    let mut profile = Profile::new(about);
    let mut sum = Sum::default();
    let shared = if document.shared.stack_table.is_some() {
        Some(Places::new(&document, None)?.stacks(&mut profile)?)
    } else {
        None
    };
    let mut left_out = LeftOut::default();
    for (index, thread) in threads.into_iter().enumerate() {
        let other = self::unit(&thread.samples)?;
        if other != unit {
            left_out.add(other);
            continue;
        }
        let wrong = |what| format!("threads[{index}]: {what}");
        let own;
        let stacks = match &shared {
            Some(shared) => shared,
            None => {
                own = Places::new(&document, Some(thread))
                    .and_then(|places| places.stacks(&mut profile))
                    .map_err(wrong)?;
                &own
            }
        };
        let samples = samples(&thread.samples, stacks, unit, profile.about.of_one(), &mut sum).map_err(wrong)?;
        if are_requests {
            add_requests(&mut profile, thread, &samples).map_err(wrong)?;
        } else {
            let cluster = profile.begin_request();
            samples.into_iter().flatten().for_each(|(stack, weight)| profile.add(cluster, stack, weight));
        }
    }
    profile.notes.extend(left_out.note("threads", unit));
    Ok(profile)
}

/// Adds a cluster for each request marker; only our own files have them.
fn add_requests(profile: &mut Profile, thread: &Thread, samples: &[Option<(StackId, u64)>]) -> Result<(), String> {
    let mut rest = samples;
    for marker in thread.markers.data.iter().flatten() {
        let Some(count) = marker.unladen_samples else { continue };
        let of_request = count.index().and_then(|count| rest.split_at_checked(count));
        let (of_request, after) =
            of_request.ok_or_else(|| format!("a request of {count} samples: {} are left", rest.len()))?;
        rest = after;
        let cluster = profile.begin_request();
        of_request.iter().flatten().for_each(|(stack, weight)| profile.add(cluster, *stack, *weight));
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{} samples belong to no request", rest.len())) }
}

fn samples(
    samples: &Samples,
    stacks: &[StackId],
    unit: Unit,
    of_one: u64,
    sum: &mut Sum,
) -> Result<Vec<Option<(StackId, u64)>>, String> {
    if let Some(weights) = samples.weight.as_ref().filter(|weights| weights.len() != samples.stack.len()) {
        return Err(format!("{} samples and {} weights", samples.stack.len(), weights.len()));
    }
    let sample = |(index, stack): (usize, &Option<Number>)| {
        let Some(stack) = stack else { return Ok(None) };
        let wrong = |what: String| format!("samples, {index}: {what}");
        let found = stack.index().and_then(|stack| stacks.get(stack));
        let found = *found.ok_or_else(|| wrong(format!("stack {stack} of {}", stacks.len())))?;
        let weight =
            samples.weight.as_ref().and_then(|weights| weights.get(index)).copied().unwrap_or(Number::Whole(1));
        let of_one = if unit == Unit::Nanoseconds { 1_000_000 * of_one } else { of_one };
        let whole = if of_one > 1 { weight.times(of_one) } else { weight.whole() };
        let whole = whole.ok_or_else(|| wrong(format!("{weight} is not a number of {}", unit.into_str())))?;
        Ok(Some((found, sum.add(whole).map_err(wrong)?)))
    };
    samples.stack.iter().enumerate().map(sample).collect()
}

fn unit(samples: &Samples) -> Result<Unit, String> {
    match samples.weight_type.as_deref() {
        None | Some("samples") => Ok(Unit::Samples),
        Some("tracing-ms") => Ok(Unit::Nanoseconds),
        Some("bytes") => Ok(Unit::Bytes),
        Some(other) => Err(format!("weightType `{other}` is not known")),
    }
}

fn period(document: &Document) -> Option<u64> {
    document.meta.interval.and_then(|interval| interval.times(1_000_000)).filter(|period| *period > 0)
}

#[cfg(test)]
mod tests;

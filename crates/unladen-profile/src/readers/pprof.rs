//! The principal type is [`Pprof`]: files of pprof.
//!
//! The format is `profile.proto` of <https://github.com/google/pprof>. It is decoded by hand, since few fields matter
//! and faults should name their byte.

mod message;
mod tables;

use std::collections::HashMap;
use std::io::Read;

use crate::frame::FrameId;
use crate::input::{Input, MAX_UNPACKED};
use crate::profile::{About, ClusterId, Profile, Unit};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::stack::StackId;
use crate::writers::pprof::{self as written, MAX_REQUESTS, REQUEST};
use message::{Fields, Value, Wrong};
use tables::{FORMAT, Tables};

/// Reads files of pprof, of at most 1 GiB (unpacked, if gzip has packed them).
///
/// From several kinds of samples it takes CPU or clock time if there is any, otherwise the one that the file prefers.
pub(crate) struct Pprof;

impl ProfileReader for Pprof {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Go's pprof, and tools that write for it: protocol buffers, mostly with gzip"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        looks_like(head)
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut bytes = Vec::new();
        let done = (&mut *input).take(MAX_UNPACKED + 1).read_to_end(&mut bytes);
        done.map_err(|error| ReadError::at_byte(FORMAT, input.offset(), error.to_string()))?;
        if bytes.len() as u64 > MAX_UNPACKED {
            let what = format!("it has more than {} MiB, the limit", MAX_UNPACKED >> 20);
            return Err(ReadError::at_byte(FORMAT, 0, what));
        }
        profile(&bytes).map_err(|wrong| ReadError::at_byte(FORMAT, wrong.at as u64, wrong.what))
    }
}

fn profile(bytes: &[u8]) -> Result<Profile, Wrong> {
    let tables = Tables::read(bytes)?;
    let mut samples = Samples::new(&tables);
    for field in Fields::of(bytes, 0) {
        let field = field?;
        if let (tables::SAMPLE, Value::Bytes(sample)) = (field.number, field.value) {
            samples.add(sample, field.at)?;
        }
    }
    Ok(samples.finish())
}

/// Whether it begins with only fields of profiles, including a sample type: there is no other mark.
fn looks_like(head: &[u8]) -> bool {
    let is_sample_type = |bytes: &[u8]| {
        let mut fields = Fields::of(bytes, 0);
        !bytes.is_empty()
            && fields
                .all(|field| field.is_ok_and(|field| matches!((field.number, field.value), (1 | 2, Value::Number(_)))))
    };
    let mut has_type = false;
    // The last field may be truncated.
    for field in Fields::of(head, 0).take_while(Result::is_ok).flatten() {
        let fits = match (field.number, field.value) {
            (tables::SAMPLE_TYPE, Value::Bytes(bytes)) => {
                has_type = true;
                is_sample_type(bytes)
            }
            (2..=6 | 11, value) => matches!(value, Value::Bytes(_)),
            (7..=10 | 12 | 14 | 15, value) => matches!(value, Value::Number(_)),
            (13, value) => !matches!(value, Value::Fixed),
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    has_type
}

/// More stacks are hostile: a location may stand for many frames, and a byte for a location.
const MAX_STACKS: usize = 1 << 26;

/// Builds the profile from samples.
struct Samples<'a> {
    tables: &'a Tables<'a>,
    profile: Profile,
    /// Index of the sample value used as weight, and its multiple of the unit.
    value: usize,
    of_one: u64,
    values: usize,
    /// Frames of known locations, outermost first.
    frames: HashMap<u64, Vec<FrameId>>,
    clusters: Vec<ClusterId>,
    /// Number of requests, if samples name theirs: some may have no sample.
    requests: usize,
    sum: Sum,
    locations: Vec<u64>,
    weights: Vec<u64>,
}

impl<'a> Samples<'a> {
    fn new(tables: &'a Tables<'a>) -> Self {
        let mut types = tables.sample_types();
        let mut decimals = Vec::with_capacity(types.len());
        for (_, unit) in &mut types {
            let (plain, of_unit) = written::parse_decimals(unit);
            decimals.push(of_unit);
            *unit = plain.to_owned();
        }
        let (value, unit, of_one) = choose(&types, &tables.string(tables.default));
        let decimals = decimals.get(value).copied().unwrap_or(0);
        let mut about = About { unit, decimals, ..About::default() };
        if let Some((period_unit, period)) = tables.period()
            && unit == Unit::Samples
        {
            about.period_ns = nanoseconds(&period_unit).and_then(|of_one| period.checked_mul(of_one));
        }
        let mut comments = tables.comments();
        if let Some(title) = comments.next() {
            about.title = title;
        }
        let mut labelled = 0;
        if let Some(comment) = comments.next().and_then(|comment| written::parse_comment(&comment)) {
            about.are_requests = comment.are_labelled;
            match comment.requests.filter(|requests| *requests <= MAX_REQUESTS) {
                Some(requests) if comment.are_labelled => labelled = requests as usize,
                _ => about.requests = comment.requests,
            }
            about.profiler = comment.profiler;
        }
        let mut profile = Profile::new(about);
        profile.notes.extend(note(&types, value));
        Self {
            tables,
            profile,
            value,
            of_one,
            values: types.len(),
            frames: HashMap::new(),
            clusters: Vec::new(),
            requests: labelled,
            sum: Sum::default(),
            locations: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn add(&mut self, sample: &[u8], at: usize) -> Result<(), Wrong> {
        let wrong = |what: String| Wrong::new(at, format!("a sample: {what}"));
        self.locations.clear();
        self.weights.clear();
        let mut request = 0;
        for field in Fields::of(sample, at) {
            let field = field?;
            match (field.number, field.value) {
                (1, _) => field.numbers(&mut self.locations)?,
                (2, _) => field.numbers(&mut self.weights)?,
                (3, Value::Bytes(label)) if self.profile.about.are_requests => {
                    let (mut key, mut number) = (0, 0);
                    for field in Fields::of(label, field.at) {
                        let field = field?;
                        match field.number {
                            1 => key = field.number()?,
                            3 => number = field.number()?,
                            _ => {}
                        }
                    }
                    if self.tables.string(key) == REQUEST {
                        request = number;
                    }
                }
                _ => {}
            }
        }
        if self.weights.len() != self.values {
            return Err(wrong(format!("{} values of {} types", self.weights.len(), self.values)));
        }
        let weight = self.weights[self.value];
        if i64::try_from(weight).is_err() {
            return Err(wrong("a negative value, as in a difference: only measured profiles are read".to_owned()));
        }
        let weight = weight.checked_mul(self.of_one).ok_or_else(|| wrong("the value is too large".to_owned()))?;
        if weight == 0 {
            return Ok(());
        }
        let weight = self.sum.add(weight).map_err(wrong)?;
        let cluster = self.cluster(request).map_err(wrong)?;
        let stack = self.stack().map_err(wrong)?;
        self.profile.add(cluster, stack, weight);
        Ok(())
    }

    fn finish(mut self) -> Profile {
        let clusters = if self.profile.about.are_requests { self.requests } else { 1 };
        while self.profile.clusters.len() < clusters {
            self.profile.begin_request();
        }
        self.profile
    }

    fn stack(&mut self) -> Result<StackId, String> {
        let mut stack = self.profile.stacks.root();
        let mut depth = 0;
        for location in self.locations.iter().rev() {
            if !self.frames.contains_key(location) {
                let frames = self.tables.frames(*location, &mut self.profile.frames);
                self.frames.insert(*location, frames.ok_or_else(|| format!("there is no location {location}"))?);
            }
            for frame in &self.frames[location] {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(format!("a stack of more than {MAX_DEPTH} frames"));
                }
                stack = self.profile.stacks.push(stack, *frame);
            }
            if self.profile.stacks.len() > MAX_STACKS {
                return Err(format!("the stacks are more than {MAX_STACKS}"));
            }
        }
        Ok(stack)
    }

    fn cluster(&mut self, request: u64) -> Result<ClusterId, String> {
        let index = match self.profile.about.are_requests {
            true if !(1..=MAX_REQUESTS).contains(&request) => return Err(format!("there is no request {request}")),
            true => (request - 1) as usize,
            false => 0,
        };
        while self.clusters.len() <= index {
            self.clusters.push(self.profile.begin_request());
        }
        Ok(self.clusters[index])
    }
}

/// The value used as weight, its unit, and its multiple of that.
fn choose(types: &[(String, String)], default: &str) -> (usize, Unit, u64) {
    let time = |wanted: &[&str]| {
        types.iter().enumerate().find_map(|(at, (kind, unit))| {
            let of_one = nanoseconds(unit).filter(|_| wanted.is_empty() || wanted.contains(&kind.as_str()))?;
            Some((at, if kind == "cpu" { Unit::CpuNanoseconds } else { Unit::Nanoseconds }, of_one))
        })
    };
    if let Some(chosen) = time(&["cpu", "wall"]) {
        return chosen;
    }
    // Other times are waiting and the like: they count only if the file says so, or has nothing else.
    let preferred = types.iter().position(|(kind, _)| kind == default && !kind.is_empty());
    let at = preferred.unwrap_or(types.len().saturating_sub(1));
    let Some((kind, unit)) = types.get(at) else { return (0, Unit::Count, 1) };
    match (kind.as_str(), unit.as_str()) {
        (_, unit) if nanoseconds(unit).is_some() => (at, Unit::Nanoseconds, nanoseconds(unit).unwrap_or(1)),
        (_, "bytes") => (at, Unit::Bytes, 1),
        ("samples" | "sample", _) => (at, Unit::Samples, 1),
        _ => (at, Unit::Count, 1),
    }
}

/// Values left out, except the number of samples, which shows the same.
fn note(types: &[(String, String)], value: usize) -> Option<String> {
    let (read, _) = types.get(value)?;
    let is_other =
        |(at, (kind, _)): &(usize, &(String, String))| *at != value && !matches!(kind.as_str(), "samples" | "sample");
    let others: Vec<String> =
        types.iter().enumerate().filter(is_other).take(8).map(|(_, (kind, _))| format!("`{kind}`")).collect();
    (!others.is_empty())
        .then(|| format!("its samples of `{read}` are read; others are left out: {}", others.join(", ")))
}

/// ns per unit of time; `None` if it is none.
fn nanoseconds(unit: &str) -> Option<u64> {
    match unit {
        "nanoseconds" | "nanosecond" | "ns" => Some(1),
        "microseconds" | "microsecond" | "us" | "\u{3bc}s" | "\u{b5}s" => Some(1000),
        "milliseconds" | "millisecond" | "ms" => Some(1_000_000),
        "seconds" | "second" | "s" => Some(1_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

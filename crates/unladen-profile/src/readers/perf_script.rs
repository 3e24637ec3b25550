//! The principal type is [`PerfScript`]: the text of `perf script`.
//!
//! A sample is a head line with a line for each frame below it, innermost first; without call graphs the only frame is
//! in the head. Fields depend on perf's options, so all are recognised by their form.

mod place;

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use indexmap::IndexMap;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::stack::StackId;
use place::CodeLocation;

const FORMAT: &str = "perf";

/// Names of C++ are long, but none is longer than this.
const MAX_LINE: u64 = 1 << 20;

/// A file that names more events is not perf's.
const MAX_EVENTS: usize = 1000;
/// Left out events that are named.
const NAMED: usize = 5;

/// Encloses the header that `--header` writes: the command in it may have lines of its own.
const EDGE: &str = "# ========";

/// Reads the text of `perf script` line by line, and keeps only the weight of each distinct stack.
///
/// The outermost frame is the command. If the event is one of perf's clocks (`cpu-clock`, `task-clock`), a sample
/// weighs its period, in ns of CPU time; otherwise one sample. Of several events the first is read: their sum would be
/// meaningless.
pub(crate) struct PerfScript;

impl ProfileReader for PerfScript {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "the text of `perf script`"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(head).or_else(|error| std::str::from_utf8(&head[..error.valid_up_to()]))
        else {
            return false;
        };
        let mut is_header = false;
        let no_header = text.lines().enumerate().filter(|(index, line)| {
            let is_edge = *line == EDGE && (is_header || *index == 0);
            is_header ^= is_edge;
            !is_edge && !is_header
        });
        let mut lines = no_header
            .map(|(_, line)| line)
            .skip_while(|line| line.trim().is_empty() || line.starts_with('#') || is_record(line));
        let Some(first) = lines.next() else { return false };
        let Some(head) = Head::parse(first) else { return false };
        let is_frame = |line: &str| {
            line.starts_with([' ', '\t']) && CodeLocation::parse(line).is_some_and(|place| place.address.is_some())
        };
        match lines.next() {
            Some(next) => head.is_certain() || is_frame(next),
            None => head.is_certain(),
        }
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut reading = Reading {
            profile: Profile::new(About { profiler: FORMAT.to_owned(), ..About::default() }),
            line: 0,
            is_header: false,
            sample: None,
            seen: IndexMap::new(),
            samples: Sum::default(),
            periods: Sum::default(),
            all_are_clocks: true,
            event: None,
            left_out: BTreeMap::new(),
        };
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut *input).take(MAX_LINE).read_until(b'\n', &mut bytes);
            let read = read.map_err(|error| ReadError::at_byte(FORMAT, input.offset(), error.to_string()))?;
            if read == 0 {
                break;
            }
            reading.line += 1;
            let done = if read as u64 == MAX_LINE && !bytes.ends_with(b"\n") {
                Err(format!("a line of more than {} KiB", MAX_LINE >> 10))
            } else {
                reading.take(String::from_utf8_lossy(&bytes).trim_end())
            };
            done.map_err(|what| ReadError::at_line(FORMAT, reading.line, what))?;
        }
        reading.end_sample().map_err(|what| ReadError::at_line(FORMAT, reading.line, what))?;
        if reading.seen.is_empty() {
            return Err(ReadError::at_line(FORMAT, reading.line.max(1), "there is no sample"));
        }
        Ok(reading.finish())
    }
}

struct Reading {
    profile: Profile,
    /// From 1.
    line: u64,
    is_header: bool,
    sample: Option<Sample>,
    /// In order of appearance: samples, and the sum of their periods.
    seen: IndexMap<StackId, (u64, u64)>,
    samples: Sum,
    periods: Sum,
    all_are_clocks: bool,
    /// The first sample's event, the only one that is read.
    event: Option<String>,
    left_out: BTreeMap<String, u64>,
}

/// A sample that may have more frames.
struct Sample {
    group: FrameId,
    /// ns, if the event is a clock.
    period: Option<u64>,
    /// Innermost first.
    frames: Vec<FrameId>,
    /// Names of frames inlined in the next one.
    inlined: Vec<String>,
    /// Whether it is unmistakably a sample.
    is_certain: bool,
    other_event: Option<String>,
}

impl Reading {
    fn take(&mut self, line: &str) -> Result<(), String> {
        if line == EDGE && (self.is_header || self.line == 1) {
            self.is_header = !self.is_header;
            return Ok(());
        }
        if self.is_header {
            return Ok(());
        }
        if line.is_empty() {
            // Some put an empty line between a head and its frames.
            let has_frames = |sample: &Sample| !sample.frames.is_empty() || !sample.inlined.is_empty();
            return if self.sample.as_ref().is_some_and(has_frames) { self.end_sample() } else { Ok(()) };
        }
        if let Some(sample) = &mut self.sample {
            let place = CodeLocation::parse(line);
            let has_address = place.as_ref().is_some_and(|place| place.address.is_some());
            let is_indented = line.starts_with([' ', '\t']);
            // Without a call graph heads are indented, and some write frames without a space before them.
            let is_head = |head: Head<'_>| head.is_timed() || (head.is_certain() && !(has_address && is_indented));
            let may_be_frame = is_indented || has_address;
            if may_be_frame && (!line.contains(':') || !Head::parse(line).is_some_and(is_head)) {
                // Source lines may stand between frames.
                let Some(place) = place else { return Ok(()) };
                sample.is_certain |= has_address;
                return sample.push(&mut self.profile, &place);
            }
        }
        if line.starts_with('#') || is_record(line) {
            return Ok(());
        }
        self.end_sample()?;
        let head = Head::parse(line).ok_or_else(|| format!("`{}` does not begin a sample", shortened(line)))?;
        let event = head.event.unwrap_or_default();
        let other_event = match &self.event {
            Some(first) => (first != event).then(|| event.to_owned()),
            None => {
                self.event = Some(event.to_owned());
                None
            }
        };
        let group = Frame { name: head.command, file: "", line: 0, kind: FrameKind::Group };
        let mut sample = Sample {
            group: self.profile.frames.intern(group),
            period: head.clock_period(),
            frames: Vec::new(),
            inlined: Vec::new(),
            is_certain: head.is_certain(),
            other_event,
        };
        if let Some(place) = CodeLocation::parse(head.rest).filter(|place| place.address.is_some()) {
            sample.push(&mut self.profile, &place)?;
        }
        self.sample = Some(sample);
        Ok(())
    }

    fn end_sample(&mut self) -> Result<(), String> {
        let Some(mut sample) = self.sample.take() else { return Ok(()) };
        if !sample.is_certain {
            return Err("the lines before it are not a sample: they have no process, time, event or frames".to_owned());
        }
        if let Some(event) = sample.other_event {
            if self.left_out.len() >= MAX_EVENTS && !self.left_out.contains_key(&event) {
                return Err(format!("more than {MAX_EVENTS} events"));
            }
            *self.left_out.entry(event).or_default() += 1;
            return Ok(());
        }
        sample.place_inlined(&mut self.profile, "", FrameKind::Native);
        let root = self.profile.stacks.root();
        let group = self.profile.stacks.push(root, sample.group);
        let frames = sample.frames.iter().rev();
        let stack = frames.fold(group, |below, frame| self.profile.stacks.push(below, *frame));
        let (samples, periods) = self.seen.entry(stack).or_default();
        *samples += self.samples.add(1)?;
        match sample.period {
            Some(period) => *periods += self.periods.add(period)?,
            None => self.all_are_clocks = false,
        }
        Ok(())
    }

    fn finish(mut self) -> Profile {
        self.profile.about.unit = if self.all_are_clocks { Unit::CpuNanoseconds } else { Unit::Samples };
        if !self.left_out.is_empty() {
            let named = |event: &str| if event.is_empty() { "no event".to_owned() } else { format!("`{event}`") };
            let mut others: Vec<String> =
                self.left_out.iter().map(|(event, samples)| format!("{samples} of {}", named(event))).collect();
            if others.len() > NAMED {
                let more = others.split_off(NAMED).len();
                others.push(format!("those of {more} more events"));
            }
            let read = self.samples.total();
            let event = named(self.event.as_deref().unwrap_or_default());
            let others = others.join(", ");
            self.profile.notes.push(format!(
                "has several events, whose sum means nothing: the {read} samples of {event}, its first, are read; \
                 samples of others are left out: {others}; to see those, record one event only"
            ));
        }
        let cluster = self.profile.begin_request();
        for (stack, (samples, periods)) in self.seen {
            self.profile.add(cluster, stack, if self.all_are_clocks { periods } else { samples });
        }
        self.profile
    }
}

impl Sample {
    fn push(&mut self, profile: &mut Profile, place: &CodeLocation<'_>) -> Result<(), String> {
        if self.frames.len() + self.inlined.len() >= MAX_DEPTH {
            return Err(format!("a stack of more than {MAX_DEPTH} frames"));
        }
        if self.other_event.is_some() {
            // Frames mark the sample's extent; their names do not matter.
            self.frames.push(self.group);
            return Ok(());
        }
        if place.is_inlined {
            self.inlined.push(place.name.to_owned());
            return Ok(());
        }
        let kind = place.kind();
        self.place_inlined(profile, place.module, kind);
        self.frames.push(place.intern(profile, kind));
        Ok(())
    }

    /// Inlined frames have the module of the next frame, in which they are inlined.
    fn place_inlined(&mut self, profile: &mut Profile, module: &str, kind: FrameKind) {
        for name in self.inlined.drain(..) {
            self.frames.push(profile.frames.intern(Frame { name: &name, file: module, line: 0, kind }));
        }
    }
}

/// Whether a line is a record that is no sample, as from `perf script --show-mmap-events`.
fn is_record(line: &str) -> bool {
    line.contains(" PERF_RECORD_")
}

fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}

/// `comm pid/tid [cpu] time: period event: frame`, of which all but the command are optional.
#[derive(Debug, PartialEq)]
struct Head<'a> {
    /// May contain spaces.
    command: &'a str,
    has_process: bool,
    has_time: bool,
    /// Without its modifiers.
    event: Option<&'a str>,
    period: Option<u64>,
    /// The only frame, without a call graph.
    rest: &'a str,
}

impl<'a> Head<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let tokens: Vec<&'a str> = line.split_whitespace().take(64).collect();
        let time = tokens.iter().skip(1).position(|token| is_time(token)).map(|at| at + 1);
        // Without a time, the event separates the command from the rest.
        let (before, after) = match time {
            Some(at) => (&tokens[..at], &tokens[at + 1..]),
            None => match tokens.iter().skip(1).position(|token| is_event(token)).map(|at| at + 1) {
                Some(at)
                    if at > 1
                        && is_decimal(tokens[at - 1])
                        && at > 2
                        && (is_process(tokens[at - 2]) || is_cpu(tokens[at - 2])) =>
                {
                    tokens.split_at(at - 1)
                }
                Some(at) => tokens.split_at(at),
                None => (&tokens[..], &tokens[..0]),
            },
        };
        let (period, after) = match after {
            [period, event, ..] if is_decimal(period) && is_event(event) => (period.parse().ok(), &after[1..]),
            _ => (None, after),
        };
        let event = after.first().copied().filter(|event| is_event(event));

        let mut names = before.len();
        let has_cpu = names > 1 && is_cpu(before[names - 1]);
        names -= usize::from(has_cpu);
        let has_process = names > 1 && is_process(before[names - 1]);
        names -= usize::from(has_process);
        let (first, last) = (before.first()?, before[..names].last()?);
        let rest_from = event.or(time.map(|at| tokens[at]));
        Some(Self {
            command: between(line, first, last),
            has_process,
            has_time: time.is_some(),
            event: event.map(without_modifiers),
            period,
            rest: rest_from.map_or("", |token| &line[end_in(line, token)..]),
        })
    }

    /// Whether it can only be a sample's head.
    fn is_certain(&self) -> bool {
        self.has_process && (self.has_time || self.event.is_some())
    }

    /// Whether it has a process and a time, which no frame line has.
    fn is_timed(&self) -> bool {
        self.has_process && self.has_time
    }

    /// The period in ns, if the event is a clock.
    fn clock_period(&self) -> Option<u64> {
        self.period.filter(|_| matches!(self.event, Some("cpu-clock" | "task-clock")))
    }
}

/// `cycles` of `cycles:ppp:`, but all of `sched:sched_switch:`.
fn without_modifiers(event: &str) -> &str {
    let event = event.trim_end_matches(':');
    let is_modifier = |text: &str| text.bytes().all(|byte| b"ukhGHpPSDWeIbR".contains(&byte));
    event.rsplit_once(':').filter(|(_, modifiers)| is_modifier(modifiers)).map_or(event, |(name, _)| name)
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A process, a thread or both: `12`, `12/13`; idle ones of other machines are -1.
fn is_process(text: &str) -> bool {
    let (process, thread) = text.split_once('/').unwrap_or((text, "0"));
    [process, thread].into_iter().all(|id| is_decimal(id.strip_prefix('-').unwrap_or(id)))
}

fn is_cpu(text: &str) -> bool {
    text.strip_prefix('[').and_then(|cpu| cpu.strip_suffix(']')).is_some_and(is_decimal)
}

fn is_time(text: &str) -> bool {
    let parts = text.strip_suffix(':').and_then(|time| time.split_once('.'));
    parts.is_some_and(|(seconds, rest)| is_decimal(seconds) && is_decimal(rest))
}

/// `cpu-clock:`, `cycles:u:`, `sched:sched_switch:`.
fn is_event(text: &str) -> bool {
    text.strip_suffix(':')
        .is_some_and(|event| event.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_time(text))
}

fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
    &text[end_in(text, first) - first.len()..end_in(text, last)]
}

fn end_in(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize + part.len()
}

#[cfg(test)]
mod tests;

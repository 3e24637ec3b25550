//! The principal type is [`PerfScript`]: the text of `perf script`.
//!
//! A sample is a head line with a line for each frame below it, innermost first; without call graphs the only frame is
//! in the head. Fields depend on perf's options, so all are recognised by their form. With `-F ip,sym` heads have no
//! field at all: an empty line stands for them, or without call graphs nothing.

mod head;
mod place;

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use indexmap::IndexMap;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError, Sum};
use crate::stack::StackId;
use head::{Head, is_head};
use place::{ADDRESS_END, CodeLocation, address_end, is_frame};

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
/// The outermost frame is the command, if heads have one. If the event is one of perf's clocks (`cpu-clock`, `task-clock`), a sample
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
        if is_frame(first) && address_end(first) >= ADDRESS_END && !is_head(first, true) {
            return true;
        }
        let Some(head) = Head::parse(first) else { return false };
        let has_frame = head.frame().is_some() || lines.next().is_some_and(is_frame);
        // Other texts begin with a number and a colon, too.
        let is_certain = if head.command.is_empty() { head.is_stamped } else { head.is_certain() };
        has_frame || (is_certain && (head.event.is_some() || !head.command.is_empty()))
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut reading = Reading {
            profile: Profile::new(About { profiler: FORMAT.to_owned(), ..About::default() }),
            line: 0,
            is_header: false,
            form: None,
            gap: 0,
            is_separated: false,
            is_established: false,
            sample: None,
            seen: IndexMap::new(),
            samples: Sum::default(),
            periods: Sum::default(),
            all_are_clocks: true,
            event: None,
            left_out: BTreeMap::new(),
            without_frames: 0,
            not_frames: None,
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
        reading.end().map_err(|what| ReadError::at_line(FORMAT, reading.line.max(1), what))?;
        Ok(reading.finish())
    }
}

/// How a file tells samples apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By heads.
    Heads,
    /// By empty lines: one for the head, and one behind the frames.
    EmptyLines,
    /// Each line is one.
    Lines,
}

struct Reading {
    profile: Profile,
    /// From 1.
    line: u64,
    is_header: bool,
    /// Of the samples so far.
    form: Option<Form>,
    /// Empty lines since the last other one.
    gap: u64,
    /// Whether there is any empty line.
    is_separated: bool,
    /// Whether there was an unmistakable sample.
    is_established: bool,
    sample: Option<Sample>,
    /// In order of appearance: samples, and the sum of their periods.
    seen: IndexMap<StackId, (u64, u64)>,
    samples: Sum,
    periods: Sum,
    all_are_clocks: bool,
    /// The first sample's event, the only one that is read.
    event: Option<String>,
    left_out: BTreeMap<String, u64>,
    /// Samples without heads and frames.
    without_frames: u64,
    /// Samples whose lines are all no frames, and the first such line.
    not_frames: Option<(u64, String)>,
}

/// A sample that may have more frames.
#[derive(Default)]
struct Sample {
    /// The command.
    group: Option<FrameId>,
    /// ns, if the event is a clock.
    period: Option<u64>,
    /// Innermost first.
    frames: Vec<FrameId>,
    /// Names of frames inlined in the next one.
    inlined: Vec<String>,
    /// Whether it is unmistakably a sample.
    is_certain: bool,
    other_event: Option<String>,
    /// Frames of another event, whose names do not matter.
    others: usize,
    /// A line that is no frame.
    not_frame: Option<String>,
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
            self.gap += 1;
            self.is_separated = true;
            // Some put an empty line between a head and its frames.
            return if self.sample.as_ref().is_some_and(Sample::has_frames) { self.end_sample() } else { Ok(()) };
        }
        let gap = std::mem::take(&mut self.gap);
        if let Some(sample) = &mut self.sample {
            let place = CodeLocation::parse(line);
            let has_address = place.as_ref().is_some_and(|place| place.address.is_some());
            let may_be_frame = has_address || line.starts_with([' ', '\t']);
            if may_be_frame && !is_head(line, has_address) {
                // Source lines may stand between frames.
                let Some(place) = place else {
                    sample.not_frame.get_or_insert_with(|| shortened(line));
                    return Ok(());
                };
                sample.is_certain |= is_frame(line);
                return sample.push(&mut self.profile, &place);
            }
        }
        if line.starts_with('#') || is_record(line) {
            return Ok(());
        }
        self.end_sample()?;
        match CodeLocation::parse(line).filter(|_| is_frame(line) && !is_head(line, true)) {
            Some(place) => self.without_head(line, &place, gap),
            None => self.with_head(line),
        }
    }

    fn with_head(&mut self, line: &str) -> Result<(), String> {
        let head = Head::parse(line).ok_or_else(|| format!("`{}` does not begin a sample", shortened(line)))?;
        if *self.form.get_or_insert(Form::Heads) != Form::Heads {
            return Err(format!("expected a frame, as the samples before it have no heads: `{}`", shortened(line)));
        }
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
            group: (!head.command.is_empty()).then(|| self.profile.frames.intern(group)),
            period: head.clock_period(),
            is_certain: head.is_certain() || (self.is_established && head.command.is_empty()),
            other_event,
            ..Sample::default()
        };
        if let Some(place) = head.frame() {
            sample.is_certain |= head.event.is_some() || head.has_time;
            sample.push(&mut self.profile, &place)?;
        }
        self.sample = Some(sample);
        Ok(())
    }

    /// The first frame of a sample without a head, `gap` empty lines after another.
    fn without_head(&mut self, line: &str, place: &CodeLocation<'_>, gap: u64) -> Result<(), String> {
        let is_first = self.form.is_none();
        let of_lines = !line.starts_with('\t') && gap == 0;
        match *self.form.get_or_insert(if of_lines { Form::Lines } else { Form::EmptyLines }) {
            Form::Heads => return Err(format!("expected a sample's head before the frame `{}`", shortened(line))),
            Form::Lines if gap > 0 => {
                return Err("an empty line between samples of one line each: \
                            it cannot be told where a sample begins"
                    .to_owned());
            }
            Form::Lines => {}
            // A sample without frames is two empty lines.
            Form::EmptyLines => self.count_without_frames(gap.saturating_sub(if is_first { 1 } else { 2 }) / 2)?,
        }
        if address_end(line) < ADDRESS_END && is_first {
            return Err(format!("expected a sample's head before the frame `{}`", shortened(line)));
        }
        let mut sample = Sample { is_certain: true, ..Sample::default() };
        sample.push(&mut self.profile, place)?;
        self.sample = Some(sample);
        if self.form == Some(Form::Lines) { self.end_sample() } else { Ok(()) }
    }

    fn count_without_frames(&mut self, samples: u64) -> Result<(), String> {
        if samples > 0 {
            self.without_frames += samples;
            self.seen.entry(self.profile.stacks.root()).or_default().0 += self.samples.add(samples)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        self.end_sample()?;
        if self.form == Some(Form::EmptyLines) {
            if !self.is_separated {
                return Err("expected an empty line between samples, as they have no heads".to_owned());
            }
            self.count_without_frames(self.gap.saturating_sub(1) / 2)?;
        }
        if self.seen.is_empty() {
            return Err("there is no sample".to_owned());
        }
        if self.profile.stacks.is_empty() {
            return Err("expected frames or a command, and no sample has any: `perf script` prints them with \
                        `-F +ip,+sym`"
                .to_owned());
        }
        Ok(())
    }

    fn end_sample(&mut self) -> Result<(), String> {
        let Some(mut sample) = self.sample.take() else { return Ok(()) };
        if !sample.is_certain {
            return Err("the lines before it are not a sample: they have no process, time, event or frames".to_owned());
        }
        self.is_established = true;
        if let Some(event) = sample.other_event {
            if self.left_out.len() >= MAX_EVENTS && !self.left_out.contains_key(&event) {
                return Err(format!("more than {MAX_EVENTS} events"));
            }
            *self.left_out.entry(event).or_default() += 1;
            return Ok(());
        }
        sample.place_inlined(&mut self.profile, "", FrameKind::Native);
        if let Some(line) = sample.not_frame.filter(|_| sample.frames.is_empty()) {
            self.not_frames.get_or_insert((0, line)).0 += 1;
        }
        let stack = self.profile.stacks.intern(sample.group.into_iter().chain(sample.frames.into_iter().rev()));
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
        if let Some((samples, line)) = self.not_frames {
            self.profile.notes.push(format!(
                "{samples} samples have no frames, only lines such as `{}`, which are left out",
                line.trim()
            ));
        }
        if self.without_frames > 0 {
            self.profile.notes.push(format!(
                "its samples have no heads: {} without frames are counted by their empty lines",
                self.without_frames
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
        if self.frames.len() + self.inlined.len() + self.others >= MAX_DEPTH {
            return Err(format!("a stack of more than {MAX_DEPTH} frames"));
        }
        if self.other_event.is_some() {
            self.others += 1;
            return Ok(());
        }
        if place.perf_map() && place.name.contains("->") {
            // perf-map-agent writes what is inlined behind its caller.
            let names = place.name.rsplit("->").filter(|name| !name.is_empty());
            return names.map(|name| CodeLocation { name, ..*place }).try_for_each(|place| self.push(profile, &place));
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

    fn has_frames(&self) -> bool {
        !self.frames.is_empty() || !self.inlined.is_empty() || self.others > 0
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

#[cfg(test)]
mod tests;

//! The principal types are [`Excimer`], which reads logs of PHP's Excimer, and [`ExcimerLog`], the log of one request.
//!
//! A log is lines of JSON, as `unladen-profiler`'s wrapper of PHP scripts writes them:
//!
//! ```text
//! {"excimer":1,"version":"1.0.4","php":"8.2.29","period_ns":1000000,"clock":"wall","script":"/app/index.php","wrapper":"/run/…"}
//! {"frame":["AutoLoader::find","/app/AutoLoader.php",97,"function"]}       numbered from 0
//! {"stack":[0,0]}                                                          the stack below and the frame; numbered from 1, 0 is empty
//! {"sample":[1,2,15600000]}                                                the stack, how many periods it stands for, and when, in ns
//! {"end":{"frames":1,"stacks":1,"samples":1,"events":2}}
//! ```
//!
//! A file may contain several logs, one for each request.

use std::io::{BufRead, Read};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::frame::{Frame, FrameId, FrameKind};
use crate::input::Input;
use crate::profile::{About, ClusterId, Profile, Unit};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError};
use crate::stack::StackId;

const NAME: &str = "excimer";
const MAGIC: &[u8] = b"{\"excimer\":";
const VERSION: u32 = 1;
/// Longest plausible line.
const MOST_LINE: u64 = 1 << 20;
/// Bound on frames and on stacks of a log, for memory's sake.
const MOST: usize = 1 << 24;

pub(crate) struct Excimer;

impl ProfileReader for Excimer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "PHP's Excimer, in the log that Unladen makes it write"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        head.trim_ascii_start().starts_with(MAGIC)
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        let mut profile =
            Profile::new(About { unit: Unit::Samples, are_requests: true, profiler: NAME.into(), ..About::default() });
        let mut lines = Lines::new(input);
        let mut first: Option<Header> = None;
        while let Some(header) = lines.header()? {
            if let Some(first) = &first
                && (first.period_ns, &first.clock) != (header.period_ns, &header.clock)
            {
                return Err(lines.fault("expected the period and the clock of the earlier logs, found others"));
            }
            let cluster = profile.begin_request();
            Log::new(&header, None).read(&mut lines, &mut profile, cluster)?;
            first.get_or_insert(header);
        }
        let Some(first) = first else { return Err(lines.fault("expected a log, found nothing")) };
        profile.about.period_ns = Some(first.period_ns);
        profile.about.title = first.script;
        Ok(profile)
    }
}

/// Reads what Excimer has logged of one request into a cluster: the lines that `unladen-profiler`'s wrapper writes.
///
/// A JSON line for each frame, stack and sample; the first describes the following ones.
#[derive(Debug)]
pub struct ExcimerLog;

impl ExcimerLog {
    /// Adds the samples of a log to a cluster. Frames of `wrapper`, a path, are ours and left out; by default, those of
    /// the wrapper that the log names. Fails if it is no log, or truncated.
    pub fn add(
        input: &mut Input<'_>,
        wrapper: Option<&str>,
        profile: &mut Profile,
        cluster: ClusterId,
    ) -> Result<(), ReadError> {
        let mut lines = Lines::new(input);
        let Some(header) = lines.header()? else { return Err(lines.fault("expected a log, found nothing")) };
        Log::new(&header, wrapper).read(&mut lines, profile, cluster)?;
        match lines.next()? {
            None => Ok(()),
            Some(_) => Err(lines.fault("expected the end of the file after the end of the log")),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Header {
    excimer: u32,
    period_ns: u64,
    clock: String,
    script: String,
    #[serde(default)]
    wrapper: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    Frame(String, String, u32, FrameKind),
    Stack(usize, usize),
    /// Its time is not needed.
    Sample(usize, u32, IgnoredAny),
    End(End),
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    frames: u64,
    stacks: u64,
    samples: u64,
    events: u64,
}

struct Lines<'a, 'b> {
    input: &'a mut Input<'b>,
    buffer: Vec<u8>,
    number: u64,
}

impl<'a, 'b> Lines<'a, 'b> {
    fn new(input: &'a mut Input<'b>) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    fn fault(&self, what: impl Into<String>) -> ReadError {
        ReadError::at_line(NAME, self.number, what)
    }

    fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let read = (&mut *self.input).take(MOST_LINE).read_until(b'\n', &mut self.buffer);
            match read {
                Err(error) => return Err(self.fault(error.to_string())),
                Ok(0) => return Ok(None),
                Ok(read) if !self.buffer.ends_with(b"\n") && read as u64 == MOST_LINE => {
                    return Err(
                        self.fault(format!("expected a line of less than {MOST_LINE} bytes, found a longer one"))
                    );
                }
                Ok(_) if self.buffer.trim_ascii().is_empty() => {}
                Ok(_) => return Ok(Some(self.buffer.trim_ascii())),
            }
        }
    }

    fn header(&mut self) -> Result<Option<Header>, ReadError> {
        let Some(line) = self.next()? else { return Ok(None) };
        let header: Header = match serde_json::from_slice(line) {
            Ok(header) => header,
            Err(error) => return Err(self.fault(format!("expected the start of a log: {error}"))),
        };
        if header.excimer != VERSION {
            return Err(self.fault(format!("expected version {VERSION} of the log, found {}", header.excimer)));
        }
        Ok(Some(header))
    }

    fn line(&mut self) -> Result<Line, ReadError> {
        let parsed = match self.next()? {
            None => Err("expected the end of the log, found the end of the file: it is cut off".to_owned()),
            Some(line) => {
                serde_json::from_slice(line).map_err(|error| format!("expected frame, stack, sample or end: {error}"))
            }
        };
        parsed.map_err(|what| self.fault(what))
    }
}

struct Log<'a> {
    wrapper: &'a str,
    script: &'a str,
    /// `None` for frames of the wrapper.
    frames: Vec<Option<FrameId>>,
    /// Without the wrapper's frames; the depth includes them.
    stacks: Vec<(StackId, usize)>,
    counted: End,
}

impl<'a> Log<'a> {
    fn new(header: &'a Header, wrapper: Option<&'a str>) -> Self {
        Self {
            wrapper: wrapper.unwrap_or(&header.wrapper),
            script: &header.script,
            frames: Vec::new(),
            stacks: Vec::new(),
            counted: End::default(),
        }
    }

    fn read(&mut self, lines: &mut Lines<'_, '_>, profile: &mut Profile, cluster: ClusterId) -> Result<(), ReadError> {
        loop {
            let taken = match lines.line()? {
                Line::End(end) if end == self.counted => return Ok(()),
                Line::End(end) => {
                    Err(format!("expected the end to count {:?}, found {end:?}: lines are missing", self.counted))
                }
                line => self.take(line, profile, cluster),
            };
            taken.map_err(|what| lines.fault(what))?;
        }
    }

    fn take(&mut self, line: Line, profile: &mut Profile, cluster: ClusterId) -> Result<(), String> {
        if self.frames.len().max(self.stacks.len()) >= MOST {
            return Err(format!("expected less than {MOST} frames and stacks, found more"));
        }
        match line {
            Line::Frame(name, file, line, kind) => {
                let is_ours = !self.wrapper.is_empty() && file == self.wrapper;
                let frame = Frame { name: &shown(&name), file: &shown(&file), line, kind };
                self.frames.push((!is_ours).then(|| profile.frames.intern(frame)));
                self.counted.frames += 1;
            }
            Line::Stack(below, frame) => {
                let frame = *self.frames.get(frame).ok_or_else(|| unknown("frame", frame))?;
                let (below, depth) = self.stack(below, profile)?;
                if depth >= MAX_DEPTH {
                    return Err(format!("expected stacks of at most {MAX_DEPTH} frames, found a deeper one"));
                }
                let stack = frame.map_or(below, |frame| profile.stacks.push(below, frame));
                self.stacks.push((stack, depth + 1));
                self.counted.stacks += 1;
            }
            Line::Sample(stack, count, _) => {
                let (mut stack, depth) = self.stack(stack, profile)?;
                if stack == profile.stacks.root() && depth > 0 {
                    // Only the wrapper: it was reading the script, for which PHP has no frame.
                    let file = &shown(self.script);
                    let script = profile.frames.intern(Frame { name: file, file, line: 0, kind: FrameKind::Include });
                    stack = profile.stacks.push(stack, script);
                }
                profile.add(cluster, stack, u64::from(count));
                self.counted.samples += 1;
                self.counted.events = self.counted.events.saturating_add(u64::from(count));
            }
            Line::End(_) => {}
        }
        Ok(())
    }

    fn stack(&self, id: usize, profile: &Profile) -> Result<(StackId, usize), String> {
        let Some(index) = id.checked_sub(1) else { return Ok((profile.stacks.root(), 0)) };
        self.stacks.get(index).copied().ok_or_else(|| unknown("stack", id))
    }
}

fn unknown(what: &str, id: usize) -> String {
    format!("expected a {what} from an earlier line, found number {id}")
}

/// Names of anonymous classes contain a zero: `class@anonymous`, zero, file, line, `$` and a number.
fn shown(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;

//! The principal type is [`NytProf`]: files of Perl's Devel::NYTProf.
//!
//! The format is documented only by its writer and reader: FileHandle.xs and NYTProf.xs of Devel::NYTProf 6 (file
//! version 5). Lines of text (`:attribute=value`, `!option=value`, `#comment`) are followed by records of a tag,
//! numbers and strings; after the tag `z` everything is deflated. Times are Perl numbers in ticks, from which
//! Devel::NYTProf has subtracted its own work on statements.
//!
//! With `calls=1` or `calls=2` a file has each return, and so all stacks, as nytprofcalls gives them. Otherwise it has
//! only sums of who called whom, at its end: stacks are then at most two deep. Time spent outside any subroutine is in
//! neither.
//!
//! A program that takes requests over FastCGI waits for each in one of [`WAITS`], which separates its requests.
//! The start and the end of such a process are no requests and left out.
//!
//! A file is one process. The children of one that forks write files of their own.

mod calls;
mod source;
mod subs;

use std::collections::HashSet;

use crate::input::Input;
use crate::profile::{About, Profile, Unit};
use crate::readers::{MAX_DEPTH, ProfileReader, ReadError};
use calls::Calls;
use source::{FORMAT, LogText, shown};
use subs::{Call, Callers, Limit, Sub, Subs};

pub(crate) struct NytProf;

impl ProfileReader for NytProf {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Perl's Devel::NYTProf: nytprof.out"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Log::read(&mut LogText::new(input))
    }
}

const MAGIC: &[u8] = b"NYTProf ";
const VERSION: &str = "5";
/// Processes in one file; merged files have several.
const MAX_PROCESSES: usize = 1 << 16;

/// Subroutines that wait for the next request. CGI::Fast, Plack's handler and FCGI's own `FCGI::accept` all call this
/// one.
const WAITS: [&str; 1] = ["FCGI::Accept"];

/// Interprets the records of a file in order.
struct Log {
    subs: Subs,
    calls: Calls,
    callers: Callers,
    waits: Vec<Sub>,
    ticks_per_second: Option<u64>,
    application: String,
    /// Those that have begun and not ended.
    processes: HashSet<u32>,
    has_process: bool,
    name: Vec<u8>,
}

impl Log {
    fn read(source: &mut LogText<'_, '_>) -> Result<Profile, ReadError> {
        let mut log = Self::new().map_err(|limit| source.fault(limit))?;
        log.version(source)?;
        while let Some(tag) = source.tag()? {
            log.record(tag, source)?;
        }
        if !log.has_process {
            return Err(source.fault("the file ends before any process has begun"));
        }
        if let Some(process) = log.processes.iter().min() {
            return Err(source.fault(format!(
                "the file is cut off: process {process} has no end; it was killed, or is still running"
            )));
        }
        log.finish().map_err(|limit| source.fault(limit))
    }

    fn new() -> Result<Self, Limit> {
        let mut subs = Subs::default();
        let waits = WAITS.iter().map(|name| subs.intern(name.as_bytes())).collect::<Result<_, _>>()?;
        Ok(Self {
            subs,
            calls: Calls::new()?,
            callers: Callers::default(),
            waits,
            ticks_per_second: None,
            application: String::new(),
            processes: HashSet::new(),
            has_process: false,
            name: Vec::new(),
        })
    }

    fn version(&mut self, source: &mut LogText<'_, '_>) -> Result<(), ReadError> {
        source.line(&mut self.name)?;
        let Some(version) = self.name.strip_prefix(MAGIC) else { return Err(source.fault("expected `NYTProf 5 0`")) };
        let version = String::from_utf8_lossy(version);
        if version.split(' ').next() == Some(VERSION) {
            Ok(())
        } else {
            Err(source.fault(format!("version {version} is not known, only version {VERSION}: Devel::NYTProf 4 to 6")))
        }
    }

    fn record(&mut self, tag: u8, source: &mut LogText<'_, '_>) -> Result<(), ReadError> {
        match tag {
            // A statement and its time: that of a line, and that of its block and subroutine too.
            b'+' => numbers(source, 3),
            b'*' => numbers(source, 5),
            // The next statement was counted before.
            b'-' => Ok(()),
            b'>' => {
                let (file, line) = (source.number()?, source.number()?);
                self.calls.entered(file, line, MAX_DEPTH);
                Ok(())
            }
            b'<' => self.returned(source),
            b'@' => {
                let file = source.number()?;
                numbers(source, 5)?;
                source.name(&mut self.name)?;
                self.subs.file(file, &self.name).map_err(|limit| source.fault(limit))
            }
            b's' => {
                let file = source.number()?;
                let sub = self.sub(source)?;
                let (first, _last) = (source.number()?, source.number()?);
                self.subs.place(sub, file, first);
                Ok(())
            }
            b'c' => self.called(source),
            b'S' => {
                numbers(source, 2)?;
                source.skip_string()
            }
            b'P' => {
                let process = source.number()?;
                numbers(source, 1)?;
                source.double()?;
                self.has_process = true;
                if self.processes.len() == MAX_PROCESSES {
                    return Err(source.fault(format!("more than {MAX_PROCESSES} processes")));
                }
                self.processes.insert(process);
                Ok(())
            }
            b'p' => {
                let process = source.number()?;
                source.double()?;
                self.processes.remove(&process);
                Ok(())
            }
            b':' => self.attribute(source),
            b'!' | b'#' => source.line(&mut self.name),
            b'z' => source.begin_deflated(),
            other => Err(source.fault(format!("expected a record, found {}", shown(other)))),
        }
    }

    fn returned(&mut self, source: &mut LogText<'_, '_>) -> Result<(), ReadError> {
        let depth = source.number()? as usize;
        let _with_called = source.double()?;
        let ticks = source.double()?;
        let sub = self.sub(source)?;
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(source.fault(format!("a return at the depth {depth}; expected 1 to {MAX_DEPTH}")));
        }
        self.calls.returned(depth, sub, ticks, self.waits.contains(&sub)).map_err(|limit| source.fault(limit))
    }

    fn called(&mut self, source: &mut LogText<'_, '_>) -> Result<(), ReadError> {
        let (file, line) = (source.number()?, source.number()?);
        source.name(&mut self.name)?;
        let caller = std::mem::take(&mut self.name);
        let calls = source.number()?;
        let _with_called = source.double()?;
        let seconds = source.double()?;
        let _recursive = source.double()?;
        let _depth = source.number()?;
        let callee = self.sub(source)?;
        // Without a place it only says that it is no Perl.
        if file > 0 {
            let caller = self.subs.intern(&caller).map_err(|limit| source.fault(limit))?;
            let call = Call { file, line, callee };
            self.callers.add(caller, call, calls, seconds).map_err(|limit| source.fault(limit))?;
        }
        Ok(())
    }

    fn attribute(&mut self, source: &mut LogText<'_, '_>) -> Result<(), ReadError> {
        source.line(&mut self.name)?;
        let text = String::from_utf8_lossy(&self.name);
        let Some((key, value)) = text.split_once('=') else {
            return Err(source.fault("expected `:name=value`"));
        };
        match key {
            "nv_size" if value != "8" => Err(source.fault(format!(
                "written by a Perl whose numbers have {value} bytes (perhaps -Duselongdouble); only 8 bytes are \
                 supported"
            ))),
            "ticks_per_sec" => match value.parse() {
                Ok(ticks @ 1..) => {
                    self.ticks_per_second = Some(ticks);
                    Ok(())
                }
                _ => Err(source.fault(format!("`{value}` ticks a second"))),
            },
            "application" => {
                self.application = value.to_owned();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn sub(&mut self, source: &mut LogText<'_, '_>) -> Result<Sub, ReadError> {
        source.name(&mut self.name)?;
        self.subs.intern(&self.name).map_err(|limit| source.fault(limit))
    }

    fn finish(self) -> Result<Profile, Limit> {
        let mut profile = Profile::new(About {
            title: self.application,
            profiler: FORMAT.to_owned(),
            unit: Unit::Nanoseconds,
            ..About::default()
        });
        if self.calls.is_empty() {
            self.callers.finish(&self.subs, &mut profile);
        } else {
            // Devel::NYTProf's own default, if the file does not say.
            let ns_per_tick = 1e9 / self.ticks_per_second.unwrap_or(10_000_000) as f64;
            self.calls.finish(&self.subs, &self.callers, ns_per_tick, &mut profile)?;
        }
        Ok(profile)
    }
}

fn numbers(source: &mut LogText<'_, '_>, count: usize) -> Result<(), ReadError> {
    for _ in 0..count {
        source.number()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! The principal type is [`NytProf`]: Perl's profiler, in a process of our own.
//!
//! The live process is left alone: a [shadow process](ShadowProcess) of it gets the requests. Its profile is a file that
//! is only whole once the process has ended, so requests are added to the profile in [`finish`](NytProf::finish), but
//! for fresh ones: each of those has a process of its own.

mod append;

use std::ffi::OsString;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use unladen_fastcgi::Params;
use unladen_load::Cancel;
use unladen_profile::{Profile, ReadError, read, reader_named};

use self::append::append;
use unladen_path::parent;

use crate::application::{Application, Kind};
use crate::capture_request::Captured;
use crate::error::ProfilerError;
use crate::fastcgi::{self, Limits};
use crate::profiler::{Answered, Profiler};
use crate::shadow::{Besides, Program, ShadowProcess};

/// Ends a profile. One that programs have no use for of their own, and that no service manager sends.
const END: Signal = Signal::SIGPWR;
/// The same, as Perl names it.
const END_NAME: &str = "pwr";
/// What the profiler writes.
const FILE: &str = "nytprof.out";
/// How long it may write at the end.
const WRITING: Duration = Duration::from_secs(60);
/// Processes that are looked through for one in Perl, below the one that listens.
const MOST_PROCESSES: usize = 10_000;

/// How it profiles.
#[derive(Debug, Clone)]
pub struct NytProfOptions {
    /// Whether each request is the first of a new process.
    pub fresh: bool,
    /// Whether opcodes that take time (`regcomp`, `ftis`, …) are told as if they were functions.
    pub opcodes: bool,
    /// How long a request may take; Perl under this profiler is some times slower.
    pub timeout: Duration,
}

/// Hands requests to a shadow process of a Perl program.
///
/// It must live on the thread that it was opened on: the kernel ends the shadow processes with that.
#[derive(Debug)]
pub struct NytProf {
    captured: Captured,
    options: NytProfOptions,
    program: Program,
    /// Answers without the profiler, if not every request is fresh.
    plain: Option<ShadowProcess>,
    /// Answers with it, and how many requests it was asked that count.
    profiled: Option<(ShadowProcess, usize)>,
}

// === impl NytProf ===

impl NytProf {
    /// Looks whether Perl has the module, and the program can be started again.
    ///
    /// # Errors
    /// When not.
    pub fn open(captured: Captured, options: NytProfOptions) -> Result<Self, ProfilerError> {
        let application = perl_of(&captured.application)?;
        let renamed = || {
            ProfilerError::NotFound(format!(
                "process {} has given itself another name, so that nobody can tell how it was started: profile it with \
                 PERL5OPT=-d:NYTProf in its own environment, and read the file with `unladen profile import`",
                application.pid
            ))
        };
        let first = application.command.first().ok_or_else(renamed)?;
        let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if !name.starts_with(b"perl") || application.command.len() < 2 {
            return Err(renamed());
        }
        let program = Program::of(&application)?;
        has_module(&program)?;
        Ok(Self { captured, options, program, plain: None, profiled: None })
    }

    fn start(&self, is_profiled: bool, cancel: &Cancel) -> Result<ShadowProcess, ProfilerError> {
        let opcodes = self.options.opcodes;
        ShadowProcess::start(
            &self.program,
            |own| if is_profiled { profiling(&own.join(FILE), opcodes) } else { Besides::default() },
            cancel,
        )
    }

    fn ask(&self, shadow: &mut ShadowProcess, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        let limits = Limits { timeout: self.options.timeout, keep: 0 };
        let asked = fastcgi::request(&shadow.address(), &self.captured.params, &self.captured.body, limits, cancel);
        let timed = match asked {
            Ok(timed) => timed,
            Err(ProfilerError::Cancelled) => return Err(ProfilerError::Cancelled),
            Err(error) => {
                // If it has ended, that is why.
                shadow.check()?;
                return Err(ProfilerError::Answer(format!("{error}{}", shadow.said())));
            }
        };
        let (status, expected) = (timed.response.status, self.captured.status);
        if status != expected {
            let said = String::from_utf8_lossy(timed.response.stderr.bytes()).into_owned();
            return Err(ProfilerError::Answer(format!(
                "a second process of {} answers with status {status}, the application with {expected}{}{said}",
                self.program.name(),
                shadow.said()
            )));
        }
        Ok(Answered { took: timed.took, status, bytes: timed.response.body_bytes })
    }

    /// Ends a shadow process and adds the requests to the profile that come after the first `left_out`, of which there
    /// must be `count`.
    fn read(
        &self,
        mut shadow: ShadowProcess,
        left_out: usize,
        count: usize,
        into: &mut Profile,
    ) -> Result<(), ProfilerError> {
        shadow.check()?;
        end(&mut shadow)?;
        let file = shadow.open(FILE)?;
        // By its descriptor: at the path there may be another by now.
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let profile = read(&path, reader_named("nytprof")).map_err(named)?;
        let requests = if profile.about.are_requests { profile.clusters.len() } else { 0 };
        let expected = left_out + count;
        // The one by which it was ended may have begun.
        if requests != expected && requests != expected + 1 {
            return Err(ProfilerError::Answer(format!(
                "the profile of {} has {requests} requests of {}: does it hand them on to other processes, or wait for them \
                 otherwise than by FCGI::Accept?",
                self.program.name(),
                expected
            )));
        }
        append(into, &profile, left_out..expected);
        Ok(())
    }
}

impl Profiler for NytProf {
    fn name(&self) -> &'static str {
        "nytprof"
    }

    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        if self.options.fresh {
            let mut shadow = self.start(false, cancel)?;
            return self.ask(&mut shadow, cancel);
        }
        let mut shadow = match self.plain.take() {
            Some(shadow) => shadow,
            None => {
                let mut shadow = self.start(false, cancel)?;
                // What a process does but once, at its first request.
                self.ask(&mut shadow, cancel)?;
                shadow
            }
        };
        let answered = self.ask(&mut shadow, cancel);
        self.plain = Some(shadow);
        answered
    }

    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError> {
        if self.options.fresh {
            let mut shadow = self.start(true, cancel)?;
            let answered = self.ask(&mut shadow, cancel)?;
            self.read(shadow, 0, 1, into)?;
            return Ok(answered);
        }
        let (mut shadow, count) = match self.profiled.take() {
            Some(profiled) => profiled,
            None => {
                let mut shadow = self.start(true, cancel)?;
                self.ask(&mut shadow, cancel)?;
                (shadow, 0)
            }
        };
        let answered = self.ask(&mut shadow, cancel)?;
        self.profiled = Some((shadow, count + 1));
        Ok(answered)
    }

    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError> {
        self.plain = None;
        match self.profiled.take() {
            Some((shadow, count)) => self.read(shadow, 1, count, into),
            None => Ok(()),
        }
    }
}

/// What makes a program of Perl profile itself.
///
/// As an argument, since Perl does not look at PERL5OPT where it distrusts its environment (`-T`), and since programs
/// that the program starts shall not be profiled. Statements are not timed: nobody asks for them here, and they cost
/// most.
fn profiling(file: &Path, opcodes: bool) -> Besides {
    let mut options = b"file=".to_vec();
    for byte in file.as_os_str().as_bytes() {
        if matches!(byte, b':' | b'=' | b'\\') {
            options.push(b'\\');
        }
        options.push(*byte);
    }
    let opcodes = if opcodes { 2 } else { 0 };
    options.extend(format!(":calls=2:slowops={opcodes}:stmts=0:compress=1:sigexit={END_NAME}").bytes());
    Besides { arguments: vec!["-d:NYTProf".into()], environment: vec![("NYTPROF".into(), OsString::from_vec(options))] }
}

/// Has the profile written and the process end.
///
/// Perl runs its handlers of signals between two of its own steps, and a process that waits for a request within
/// FCGI::Accept is within one, whatever signals come: it takes another request. That one is empty and never handled,
/// since the handler comes first.
fn end(shadow: &mut ShadowProcess) -> Result<(), ProfilerError> {
    shadow.signal(END);
    let begun = Instant::now();
    while !shadow.wait(Duration::from_millis(100))? {
        if begun.elapsed() > WRITING {
            return Err(ProfilerError::Answer(format!(
                "the profiler has not ended within {WRITING:?}{}",
                shadow.said()
            )));
        }
        let limits = Limits { timeout: Duration::from_millis(500), keep: 0 };
        // It closes the connection without an answer.
        let _ = fastcgi::request(&shadow.address(), &Params::default(), &[], limits, &Cancel::new());
    }
    Ok(())
}

/// The process in Perl that answers: itself, or one below it, where something keeps several running, as multiwatch
/// does.
fn perl_of(application: &Application) -> Result<Application, ProfilerError> {
    if application.kind == Kind::Perl {
        return Ok(application.clone());
    }
    let failed = |source| ProfilerError::Io { doing: "cannot list", path: PathBuf::from("/proc"), source };
    let mut pids: Vec<u32> = (fs::read_dir("/proc").map_err(failed)?.flatten())
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .take(MOST_PROCESSES)
        .collect();
    pids.sort_unstable();
    let is_below =
        |pid: u32| std::iter::successors(parent(pid), |pid| parent(*pid)).take(8).any(|pid| pid == application.pid);
    let below = pids.into_iter().filter(|pid| is_below(*pid)).filter_map(|pid| Application::of(pid).ok());
    below.into_iter().find(|below| below.kind == Kind::Perl).ok_or_else(|| {
        let what = application.exe.display();
        let more = if application.kind == Kind::Fcgiwrap {
            "it starts a program for each request: profile that with PERL5OPT=-d:NYTProf in fcgiwrap's environment, and read its files \
             with `unladen profile import`"
        } else {
            "Devel::NYTProf is for programs in Perl"
        };
        ProfilerError::NotFound(format!("{what} (process {}) answers, which is not Perl: {more}", application.pid))
    })
}

/// Whether that Perl has the profiler, asked as the program's user with its environment.
fn has_module(program: &Program) -> Result<(), ProfilerError> {
    let asking = program.with_arguments(&["-e", "require Devel::NYTProf::Core; print $Devel::NYTProf::Core::VERSION"]);
    let mut command = asking.command(&Besides::default());
    command.env_remove("NYTPROF").env_remove("PERL5OPT").stdin(Stdio::null());
    let perl = program.exe().display();
    match command.output() {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => Ok(()),
        Ok(_) => Err(ProfilerError::Missing {
            what: format!("{perl} has no Devel::NYTProf"),
            remedy: "install it (Debian: apt-get install libdevel-nytprof-perl) and run this again; the application needs no restart".to_owned(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ProfilerError::Missing {
            what: "there is no setsid".to_owned(),
            remedy: "install it (Debian: apt-get install util-linux) and run this again".to_owned(),
        }),
        Err(source) => Err(ProfilerError::Io { doing: "cannot start", path: "setsid".into(), source }),
    }
}

/// The path by which it was read says nothing to anybody.
fn named(error: ReadError) -> ReadError {
    match error {
        ReadError::Bad { fault, .. } => ReadError::Bad { file: FILE.into(), fault },
        other => other,
    }
}

#[cfg(test)]
mod tests;

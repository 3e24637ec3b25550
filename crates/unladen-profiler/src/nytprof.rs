//! The principal type is [`NytProf`]: Perl's profiler, in a process of our own.
//!
//! The live process is left alone: a [shadow process](ShadowProcess) of it gets the requests. A profile's file is only
//! complete once the process has ended, so requests are added in [`finish`](NytProf::finish), except fresh ones: each
//! has its own process.

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
use unladen_path::parent;
use unladen_profile::{Profile, ReadError, read, reader_named};

use crate::application::{Application, Kind};
use crate::capture_request::Captured;
use crate::fastcgi::{self, Limits};
use crate::profiler::{Answered, Profiler, ProfilerError};
use crate::shadow::{Besides, Program, ShadowProcess};

/// Ends a profile. Programs do not use this signal, and no service manager sends it.
const END: Signal = Signal::SIGPWR;
const END_NAME: &str = "pwr";
const FILE: &str = "nytprof.out";
/// Time for writing at the end.
const WRITING: Duration = Duration::from_secs(60);
/// Most processes searched for a Perl below the listening one.
const MOST_PROCESSES: usize = 10_000;

/// How NYTProf profiles.
#[derive(Debug, Clone)]
pub struct NytProfOptions {
    /// Whether each request is the first of a new process.
    pub fresh: bool,
    /// Whether slow opcodes (`regcomp`, `ftis`, …) appear as functions.
    pub opcodes: bool,
    /// Time for a request; this profiler slows Perl several times.
    pub timeout: Duration,
}

/// Sends requests to a shadow process of a Perl program.
///
/// It must live on the thread that opened it: the kernel ends the shadow processes with that thread.
#[derive(Debug)]
pub struct NytProf {
    captured: Captured,
    options: NytProfOptions,
    program: Program,
    /// Answers without the profiler, unless every request is fresh.
    plain: Option<ShadowProcess>,
    /// Answers with it; the number of requests that count.
    profiled: Option<(ShadowProcess, usize)>,
}

/// Fails if a process opened its listening socket itself: a second process of it would do so too, and take the socket's
/// place over from the first. FastCGI hands it over as descriptor 0 (its specification, section 2.2).
fn is_handed_its_socket(pid: u32) -> Result<(), ProfilerError> {
    let path = PathBuf::from(format!("/proc/{pid}/fd/0"));
    let link = match fs::read_link(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => PathBuf::new(),
        link => link.map_err(|source| ProfilerError::Io { doing: "cannot read", path, source })?,
    };
    match link.as_os_str().as_bytes().starts_with(b"socket:") {
        true => Ok(()),
        false => Err(ProfilerError::NotFound(format!(
            "process {pid} opens its socket itself, and a second process of it would take its place: start it by \
             spawn-fcgi or a systemd socket, which hand the socket over as standard input; or profile it with \
             PERL5OPT=-d:NYTProf in its own environment, and read the file with `unladen profile import`"
        ))),
    }
}

// === impl NytProf ===

impl NytProf {
    /// Checks that Perl has the module, and that the program can be started again; fails if not.
    pub fn open(captured: Captured, options: NytProfOptions) -> Result<Self, ProfilerError> {
        let application = perl_of(&captured.application)?;
        let renamed = || {
            ProfilerError::NotFound(format!(
                "process {} has changed its name, so it is not known how it was started: profile it with \
                 PERL5OPT=-d:NYTProf in its own environment, and read the file with `unladen profile import`",
                application.pid
            ))
        };
        let first = application.command.first().ok_or_else(renamed)?;
        let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if !name.starts_with(b"perl") || application.command.len() < 2 {
            return Err(renamed());
        }
        is_handed_its_socket(application.pid)?;
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
                // Its end, if it has ended, is the reason.
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

    /// Ends a shadow process and adds the requests after the first `left_out` to the profile; there must be `count` of
    /// them.
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
        // By its descriptor: the path may lead to another by now.
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let profile = read(&path, reader_named("nytprof")).map_err(named)?;
        let requests = if profile.about.are_requests { profile.clusters.len() } else { 0 };
        let expected = left_out + count;
        // The request that ended it may have begun.
        if requests != expected && requests != expected + 1 {
            return Err(ProfilerError::Answer(format!(
                "the profile of {} has {requests} requests of {}: does it pass them on to other processes, or accept \
                 them without FCGI::Accept?",
                self.program.name(),
                expected
            )));
        }
        if into.clusters.is_empty() {
            into.about.unit = profile.about.unit;
            into.about.profiler.clone_from(&profile.about.profiler);
            into.about.are_requests = true;
        }
        into.append(&profile, profile.clusters.get(left_out..expected).unwrap_or_default(), 1);
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
                // The first request contains one-time work.
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

/// What makes a Perl program profile itself.
///
/// Given as an argument, since Perl ignores PERL5OPT where it distrusts its environment (`-T`), and since programs that
/// the program starts should not be profiled. Statements are not timed: they are not needed here and cost most.
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

/// Makes the process write its profile and end.
///
/// Perl runs signal handlers between two of its own steps, and waiting for a request within FCGI::Accept is a single
/// step whatever signals come: it takes another request. That one is empty and never handled, since the handler comes
/// first.
fn end(shadow: &mut ShadowProcess) -> Result<(), ProfilerError> {
    shadow.signal(END);
    let begun = Instant::now();
    while !shadow.wait(Duration::from_millis(100))? {
        if begun.elapsed() > WRITING {
            return Err(ProfilerError::Answer(format!(
                "the profiler has not finished within {WRITING:?}{}",
                shadow.said()
            )));
        }
        let limits = Limits { timeout: Duration::from_millis(500), keep: 0 };
        // It closes the connection without an answer.
        let _ = fastcgi::request(&shadow.address(), &Params::default(), &[], limits, &Cancel::new());
    }
    Ok(())
}

/// The answering Perl process: the application itself, or one below a supervisor such as multiwatch.
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
            "it starts a program for each request: profile that program with PERL5OPT=-d:NYTProf in fcgiwrap's \
             environment, and read its files with `unladen profile import`"
        } else {
            "Devel::NYTProf works only with Perl programs"
        };
        ProfilerError::NotFound(format!("{what} (process {}) answers, which is not Perl: {more}", application.pid))
    })
}

/// Whether that Perl has the profiler, asked as the program's user with its environment.
fn has_module(program: &Program) -> Result<(), ProfilerError> {
    let asking = program.with_arguments(&["-e", "require Devel::NYTProf::Core; print $Devel::NYTProf::Core::VERSION"]);
    let mut command = asking.command(&Besides::default());
    command.env_remove("NYTPROF").env_remove("PERL5OPT").stdin(Stdio::null());
    let perl = program.exe.display();
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

/// Removes the path by which it was read, which means nothing to people.
fn named(error: ReadError) -> ReadError {
    match error {
        ReadError::Bad { fault, .. } => ReadError::Bad { file: FILE.into(), fault },
        other => other,
    }
}

#[cfg(test)]
mod tests;

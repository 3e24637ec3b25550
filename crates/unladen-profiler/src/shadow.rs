//! The principal type is [`ShadowProcess`]: a second process of a running program, which takes requests from us only.
//!
//! It has the same arguments, user, groups, environment and working folder, and listens at a socket of ours. setpriv
//! starts it, so that the kernel kills it when the starting thread ends in any way.
//!
//! It runs where we run: for a process in a container, or with a /tmp of its own, it is no faithful copy. Its folder is
//! a [`RunFolder`]: the next run removes what a killed run leaves behind.

mod program;

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_load::Cancel;

use crate::profiler::ProfilerError;
use crate::run_folder::{RunFolder, open_theirs};
pub(crate) use program::{Besides, Program};
use unladen_path::Address;

/// Pause between two looks at a process.
const LOOK: Duration = Duration::from_millis(50);
/// After this many looks asleep without CPU use, a process has loaded its program and waits for a request.
const QUIET_LOOKS: u32 = 6;
const LOADING: Duration = Duration::from_secs(60);
/// Time to end before it is killed.
const ENDING: Duration = Duration::from_secs(2);
/// Bytes of standard error that are reported.
const MOST_STDERR: u64 = 2000;

#[derive(Debug)]
pub(crate) struct ShadowProcess {
    child: Child,
    folder: RunFolder,
    /// The folder in which it may write.
    own: PathBuf,
    name: String,
}

// === impl ShadowProcess ===

impl ShadowProcess {
    /// Starts it and waits until it has loaded its program. `besides` gets the folder in which the shadow process may
    /// write. Fails if it cannot be started, or ends; with [`ProfilerError::Cancelled`] when cancelled.
    pub(crate) fn start(
        program: &Program,
        besides: impl FnOnce(&Path) -> Besides,
        cancel: &Cancel,
    ) -> Result<Self, ProfilerError> {
        let at = |path: &Path, doing: &'static str| {
            let path = path.to_owned();
            move |source: io::Error| ProfilerError::Io { doing, path, source }
        };
        let folder = RunFolder::create_for_much()?;
        // The shadow process passes through the folder to its own, and can do nothing else in it.
        let own = folder.out(program.user, program.group)?;
        let path = folder.path().join(SOCKET);
        let listener = UnixListener::bind(&path).map_err(at(&path, "cannot listen at"))?;
        let path = folder.path().join(STDERR);
        let stderr = File::create(&path).map_err(at(&path, "cannot write"))?;

        let besides = besides(&own);
        let mut command = program.command(&besides);
        command
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)))
            .stdout(Stdio::null())
            .stderr(Stdio::from(stderr));
        let child = command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ProfilerError::Missing {
                what: "there is no setsid, or the application's working folder does not exist".to_owned(),
                remedy: "setsid and setpriv are in the package util-linux".to_owned(),
            },
            _ => ProfilerError::Io { doing: "cannot start", path: "setsid".into(), source },
        })?;
        let mut shadow = Self { child, folder, own, name: program.name() };
        shadow.settle(cancel)?;
        Ok(shadow)
    }

    pub(crate) fn address(&self) -> Address {
        Address::Unix(self.folder.path().join(SOCKET))
    }

    /// Opens a file that it has written. Links are not followed: the shadow process is not trusted as we are.
    pub(crate) fn open(&self, name: &str) -> Result<File, ProfilerError> {
        let path = self.own.join(name);
        open_theirs(&path).map_err(|source| ProfilerError::Io { doing: "cannot read", path, source })
    }

    /// Fails if it has ended, with its standard error.
    pub(crate) fn check(&mut self) -> Result<(), ProfilerError> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(self.ended(status)),
            Err(source) => Err(self.failed("cannot wait for", source)),
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        // An unreaped child keeps its id; if it has ended, the signal reaches nobody.
        let _ = kill(Pid::from_raw(self.child.id() as i32), signal);
    }

    /// Waits until it has ended; returns whether it did within `time`.
    pub(crate) fn wait(&mut self, time: Duration) -> Result<bool, ProfilerError> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) => return Ok(true),
                Ok(None) if begun.elapsed() >= time => return Ok(false),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(source) => return Err(self.failed("cannot wait for", source)),
            }
        }
    }

    pub(crate) fn said(&self) -> String {
        let path = self.folder.path().join(STDERR);
        let mut text = Vec::new();
        let read = File::open(&path).and_then(|mut file| {
            let length = file.metadata()?.len();
            io::Seek::seek(&mut file, io::SeekFrom::Start(length.saturating_sub(MOST_STDERR)))?;
            file.take(MOST_STDERR).read_to_end(&mut text)
        });
        let text = String::from_utf8_lossy(&text);
        if read.is_err() || text.trim().is_empty() { String::new() } else { format!("; it printed: {}", text.trim()) }
    }

    /// Waits until it sleeps and uses no CPU.
    fn settle(&mut self, cancel: &Cancel) -> Result<(), ProfilerError> {
        let begun = Instant::now();
        let (mut used, mut quiet) = (None, 0);
        while quiet < QUIET_LOOKS {
            if cancel.wait(LOOK) {
                return Err(ProfilerError::Cancelled);
            }
            self.check()?;
            if begun.elapsed() > LOADING {
                return Err(ProfilerError::Answer(format!(
                    "{} has not loaded its program within {LOADING:?}{}",
                    self.name,
                    self.said()
                )));
            }
            let now = sleeping(self.child.id());
            quiet = if now.is_some() && now == used { quiet + 1 } else { 0 };
            used = now;
        }
        Ok(())
    }

    fn ended(&self, status: ExitStatus) -> ProfilerError {
        ProfilerError::Answer(format!("the second process of {} has ended ({status}){}", self.name, self.said()))
    }

    fn failed(&self, doing: &'static str, source: io::Error) -> ProfilerError {
        ProfilerError::Io { doing, path: PathBuf::from(&self.name), source }
    }
}

impl Drop for ShadowProcess {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // Lets it clean up its files.
        self.signal(Signal::SIGTERM);
        if !matches!(self.wait(ENDING), Ok(true)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

const SOCKET: &str = "socket";
const STDERR: &str = "stderr";

/// CPU time in ticks of a sleeping process (proc_pid_stat(5)); `None` if it does not sleep.
fn sleeping(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may contain anything.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let is_asleep = fields.next()? == "S";
    let user: u64 = fields.nth(10)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    is_asleep.then_some(user.saturating_add(system))
}

#[cfg(test)]
mod tests;

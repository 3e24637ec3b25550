//! The principal type is [`Shell`]: it runs the commands of an experiment.
//!
//! Each runs in its own process group, so that Ctrl-C does not hit it during a switch, and so that it can be killed
//! with its children. Its output goes to an unnamed file: a server that a command leaves running keeps its output open,
//! so that a pipe would never end, or would break when this process ends.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use unladen_load::{Cancel, open_files_before};

use crate::error::CommandFault;

/// Default time limit of a command.
pub const COMMAND_TIME: Duration = Duration::from_secs(300);

/// Time for a command to end after SIGTERM, before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum lines and bytes shown of the end of the output.
const SHOWN_LINES: usize = 12;
const SHOWN_BYTES: u64 = 4096;
const WHOLE: u64 = 16 << 20;
/// Maximum pause between two checks for the end: short beside any switch that takes a command.
const LOOK: Duration = Duration::from_millis(10);

/// As printed fixes call this program.
const OWN: &str = "unladen";

/// A file system in memory.
const SHARED_MEMORY: &str = "/dev/shm";

/// Runs commands in one folder.
#[derive(Clone, Debug)]
pub struct Shell {
    folder: PathBuf,
}

// === impl Shell ===

impl Shell {
    /// Runs commands in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Folder in which commands run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a command by `sh -c` and waits for its end. Fails when it does not start, fails, takes longer than
    /// `within`, or is cancelled; in the last two cases it is killed.
    pub fn run(
        &self,
        command: &str,
        environment: &BTreeMap<String, String>,
        within: Duration,
        cancel: &Cancel,
    ) -> Result<(), CommandFault> {
        let mut shell = sh(&with_own(command), open_files_before());
        shell.envs(environment);
        self.execute(shell, command, within, cancel).map(drop)
    }

    /// Runs a program and returns its output; `name` is its name in errors.
    pub(crate) fn execute(
        &self,
        mut program: Command,
        name: &str,
        within: Duration,
        cancel: &Cancel,
    ) -> Result<Output, CommandFault> {
        if cancel.is_cancelled() {
            return Err(CommandFault::Cancelled);
        }
        let start = |source| CommandFault::Start { command: name.to_owned(), source };
        let output = unnamed(&self.folder).map_err(start)?;
        let stdout = output.try_clone().map_err(start)?;
        let stderr = output.try_clone().map_err(start)?;
        program.current_dir(&self.folder).stdin(Stdio::null()).stdout(stdout).stderr(stderr).process_group(0);
        let mut child = program.spawn().map_err(start)?;
        let ended = wait(&mut child, within, cancel).map_err(start)?;
        if let Ended::With(status) = &ended
            && status.success()
        {
            return Ok(Output(output));
        }
        let output = tail(output);
        match ended {
            Ended::With(status) => Err(CommandFault::Failed { command: name.to_owned(), how: how(status), output }),
            Ended::Late => Err(CommandFault::Late { command: name.to_owned(), within, output }),
            Ended::Cancelled => Err(CommandFault::Cancelled),
        }
    }
}

/// A command that calls `unladen`, with a shell function of that name for this very program: it may have been called by
/// its path, and `sudo` has a `PATH` of its own. (This program's folder in `PATH` would hold other programs too.)
fn with_own(command: &str) -> Cow<'_, str> {
    let is_called = command.split(|c: char| c.is_whitespace() || "();&|".contains(c)).any(|word| word == OWN);
    match std::env::current_exe() {
        Ok(program) if is_called => format!("{OWN}() {{ {} \"$@\"; }}; {command}", quoted(&program)).into(),
        _ => command.into(),
    }
}

/// A path in quotes, in which a shell expands nothing.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// An unnamed file. The folder for temporary files may be gone, full or read-only, perhaps by what was switched: that
/// is no reason not to put back.
fn unnamed(folder: &Path) -> io::Result<File> {
    let elsewhere = [folder, Path::new(SHARED_MEMORY)];
    tempfile::tempfile().or_else(|error| elsewhere.iter().find_map(|at| tempfile::tempfile_in(at).ok()).ok_or(error))
}

/// `sh -c` of a command, with this soft limit on open files: a server that it starts should have its usual limit, and
/// not that of the load's many connections. A shell lowers it, as only unsafe code could here.
fn sh(command: &str, open_files: Option<u64>) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c");
    if let Some(limit) = open_files {
        shell.arg("ulimit -S -n \"$0\" 2>/dev/null; exec /bin/sh -c \"$1\"").arg(limit.to_string());
    }
    shell.arg(command);
    shell
}

#[derive(Debug)]
pub(crate) struct Output(File);

impl Output {
    pub(crate) fn whole(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0))?;
        self.0.take(WHOLE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > WHOLE { Err(io::Error::other("it printed more than 16 MiB")) } else { Ok(bytes) }
    }
}

enum Ended {
    With(ExitStatus),
    Late,
    Cancelled,
}

fn wait(child: &mut Child, within: Duration, cancel: &Cancel) -> io::Result<Ended> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::With(status));
        }
        let cancelled = cancel.wait(pause);
        if cancelled || started.elapsed() >= within {
            end(child)?;
            return Ok(if cancelled { Ended::Cancelled } else { Ended::Late });
        }
        pause = (pause * 2).min(LOOK);
    }
}

fn end(child: &mut Child) -> io::Result<()> {
    let group = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    // An error means that the group is empty.
    let _ = killpg(group, Signal::SIGTERM);
    let told = Instant::now();
    while child.try_wait()?.is_none() && told.elapsed() < GRACE {
        std::thread::sleep(LOOK);
    }
    // Also for its children, which may outlive it.
    let _ = killpg(group, Signal::SIGKILL);
    child.wait().map(drop)
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".into(),
    }
}

/// The last lines, without terminal controls.
fn tail(mut output: File) -> String {
    let mut bytes = Vec::new();
    let read = output.seek(SeekFrom::End(0)).and_then(|length| {
        output.seek(SeekFrom::Start(length.saturating_sub(SHOWN_BYTES)))?;
        output.take(SHOWN_BYTES).read_to_end(&mut bytes)
    });
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<String> = text.trim_end().lines().map(plain).collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

fn plain(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests;

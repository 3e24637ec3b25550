//! [`ask`]: runs a program for its output, with bounds on everything.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use std::{fs, thread};

use unladen_machine::in_own_session;

/// PHP takes some tens of ms; a busy machine may take more.
const TIME: Duration = Duration::from_secs(5);
/// phpinfo is some 50 KiB long.
const MAX_OUTPUT: u64 = 1 << 20;
const POLL: Duration = Duration::from_millis(2);

pub(super) struct Output {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    #[error("it cannot be started: {0}")]
    Start(#[source] io::Error),
    #[error("it did not end within {} s", TIME.as_secs())]
    Time,
}

/// Runs it with these arguments, this environment and this user's rights, without input and nothing else of ours.
pub(super) fn ask<'a>(
    program: &Path,
    arguments: impl Iterator<Item = &'a str>,
    environment: &[(String, OsString)],
    user: Option<User>,
) -> Result<Output, AskError> {
    // Otherwise another program would report that it cannot be started.
    fs::metadata(program).map_err(AskError::Start)?;
    let mut command = in_own_session(program);
    command.args(arguments).env_clear().envs(environment.iter().map(|(name, value)| (name, value))).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(user) = user {
        // As root, this also drops root's other groups.
        command.gid(user.gid).uid(user.uid);
    }
    let mut child = command.spawn().map_err(AskError::Start)?;
    let (stdout, stderr) = (child.stdout.take().map(read), child.stderr.take().map(read));
    let deadline = Instant::now() + TIME;
    loop {
        match child.try_wait() {
            Ok(Some(_)) | Err(_) => break,
            Ok(None) if Instant::now() < deadline => thread::sleep(POLL),
            Ok(None) => {
                // If it has just ended, there is nothing to kill.
                let _ = child.kill();
                let _ = child.wait();
                return Err(AskError::Time);
            }
        }
    }
    // Its own children that hold on to its output must not block us.
    let text = |output: Option<Receiver<Vec<u8>>>| {
        let left = deadline.saturating_duration_since(Instant::now()).max(POLL);
        let bytes = output.and_then(|output| output.recv_timeout(left).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Output { stdout: text(stdout), stderr: text(stderr) })
}

/// Reads to the end on its own thread: reading both outputs in turn would deadlock once the second is full.
fn read(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
        // The rest is read and dropped, so that the program can end.
        let _ = io::copy(&mut output, &mut io::sink());
        let _ = sender.send(bytes);
    });
    receiver
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// Why a PHP was not asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhpSettingsError {
    #[error("process {pid} has ended")]
    Gone { pid: i32 },
    #[error("process {pid} belongs to another user: run as root, or as that user")]
    Denied { pid: i32 },
    #[error("process {pid} is in a container: not asked")]
    Container { pid: i32 },
    #[error("process {pid} runs {}, which is not a PHP that can be asked: php-fpm, php-cgi, php and Apache's module \
        are known", exe.display())]
    NotPhp { pid: i32, exe: PathBuf },
    #[error("{} is not the file that process {pid} was started from: it was replaced since; restart the process", exe.display())]
    Replaced { pid: i32, exe: PathBuf },
    /// Only root would get an answer, and another user can replace the program that would be run.
    #[error("process {pid} belongs to root, but users other than root can change {} or a folder above it: not asked", exe.display())]
    NotRoots { pid: i32, exe: PathBuf },
    /// The library of PHP within the server does not name its version.
    #[error("process {pid} contains PHP, but its settings could not be found out")]
    Unread { pid: i32 },
    /// PHP within a server is asked through the command line's, which is not installed.
    #[error(
        "process {pid} contains PHP {version}, whose settings only the command line's PHP {version} can show: install \
         it (Debian: php-cli)"
    )]
    NoCommandLine { pid: i32, version: String },
    #[error("process {pid} contains PHP {version}, but {} is PHP {other}: not asked", exe.display())]
    OtherVersion { pid: i32, version: String, exe: PathBuf, other: String },
    /// PHP within the server has read other files than the command line's was made to read.
    #[error("process {pid} contains PHP, but it is not known which settings files it has read: {why}")]
    OtherFiles { pid: i32, why: String },
    #[error("{} -i: {source}", exe.display())]
    Ask { exe: PathBuf, source: AskError },
    #[error("{} -i prints no settings: is it PHP?", exe.display())]
    Silent { exe: PathBuf },
}

#[cfg(test)]
mod tests;

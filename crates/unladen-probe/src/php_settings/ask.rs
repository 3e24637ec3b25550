//! [`ask`]: runs a program for its output, with bounds on everything.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use unladen_machine::in_own_session;

use crate::php_settings::user::User;

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

#[cfg(test)]
mod tests;

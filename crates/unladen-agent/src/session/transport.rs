//! The principal type is [`Transport`]: the running command that leads to a host.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_trace::without_secrets;

use crate::host::Host;
use crate::shown::shown;

const PATIENCE: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(5);

/// Maximum levels and number of processes below the command: deeper ones end with their pipes.
const MAX_DEPTH: usize = 16;
const MAX_PROCESSES: usize = 256;

/// The command that leads to a host. On drop it gets two seconds to end, then it is killed.
#[derive(Debug)]
pub(super) struct Transport {
    child: Mutex<Child>,
}

pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Transport {
    /// Starts it with `sh` appended.
    ///
    /// It stays in this process's group, as ssh may need to ask for a password at the terminal; but Ctrl-C, which the
    /// terminal sends to the whole group, is for this process to handle.
    pub(super) fn start(host: &Host) -> io::Result<(Self, Pipes)> {
        let script = format!("trap '' INT; {} sh", host.command);
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok((Self { child: Mutex::new(child) }, Pipes { stdin, stdout, stderr }))
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    pub(super) fn ended(&self) -> Option<ExitStatus> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().ok().flatten()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended().is_some()
    }

    pub(super) fn wait(&self, patience: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.ended() {
                None if begun.elapsed() < patience => std::thread::sleep(PAUSE),
                ended => return ended,
            }
        }
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        if self.wait(PATIENCE).is_some() {
            return;
        }
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut below = Vec::new();
        descendants(child.id(), 0, &mut below);
        for pid in below {
            // It may have ended meanwhile.
            let _ = kill(pid, Signal::SIGKILL);
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// All processes below this one, the nearest first. Empty if the kernel does not tell (CONFIG_PROC_CHILDREN).
fn descendants(of: u32, depth: usize, found: &mut Vec<Pid>) {
    let Ok(children) = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")) else { return };
    for pid in children.split_ascii_whitespace().filter_map(|word| word.parse::<u32>().ok()) {
        if depth == MAX_DEPTH || found.len() == MAX_PROCESSES {
            return;
        }
        found.extend(i32::try_from(pid).ok().map(Pid::from_raw));
        descendants(pid, depth + 1, found);
    }
}

const KEPT: usize = 8 << 10;

const LINES: usize = 5;

const MOST: usize = 1000;

/// Pauses for last words that are still to come.
const PAUSES: usize = 40;

/// The end of a command's stderr.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    bytes: Mutex<VecDeque<u8>>,
    has_ended: AtomicBool,
}

impl LastWords {
    pub(super) fn of(mut pipe: impl Read + Send + 'static) -> Arc<Self> {
        let words = Arc::new(Self::default());
        let kept = Arc::clone(&words);
        std::thread::spawn(move || {
            let mut piece = [0; 1024];
            while let Ok(read @ 1..) = pipe.read(&mut piece) {
                kept.take(&piece[..read]);
            }
            kept.has_ended.store(true, Ordering::Release);
        });
        words
    }

    fn take(&self, piece: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(piece);
        let too_many = bytes.len().saturating_sub(KEPT);
        bytes.drain(..too_many);
    }

    /// Waits a moment for the end of the pipe: the last words give the reason.
    pub(super) fn settle(&self) {
        for _ in 0..PAUSES {
            if self.has_ended.load(Ordering::Acquire) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The last lines, joined; empty if there are none.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The first line may be cut, and its secret without the name that marks it.
        let is_cut = bytes.len() >= KEPT;
        let lines = text.split(['\n', '\r']).skip(usize::from(is_cut));
        let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
        // A shell that traces its commands, or an ssh that names the failed one, repeats what may be a password.
        let last = &lines[lines.len().saturating_sub(LINES)..];
        let lines: Vec<String> = last.iter().copied().map(without_secrets).collect();
        shown(&lines.join(" / "), MOST)
    }

    pub(super) fn behind_colon(&self) -> String {
        let text = self.text();
        if text.is_empty() { text } else { format!(": {text}") }
    }
}

#[cfg(test)]
mod tests;

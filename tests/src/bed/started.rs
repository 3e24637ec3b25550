//! The principal type is [`Started`]: a process that ends with what started it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// A process that is killed when this is dropped, or when the thread that started it ends, however that happens.
#[derive(Debug)]
pub struct Started {
    child: Child,
}

// === impl Started ===

impl Started {
    /// Starts these words. What they write goes nowhere; what they say is the test's.
    pub(super) fn new<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        Self::spawn(words, Stdio::null())
    }

    /// Starts these words, and waits until they write `ready`.
    pub(crate) fn ready<S: AsRef<str>>(who: &str, words: impl IntoIterator<Item = S>) -> Self {
        let mut started = Self::spawn(words, Stdio::piped());
        let mut line = String::new();
        let stdout = started.child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n", "{who} does not come up");
        started
    }

    fn spawn<S: AsRef<str>>(words: impl IntoIterator<Item = S>, stdout: Stdio) -> Self {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).args(words.into_iter().map(|word| word.as_ref().to_owned()));
        let child = command.stdin(Stdio::piped()).stdout(stdout).spawn().expect("setpriv starts");
        Self { child }
    }

    /// Writes a line to it, which is its last.
    pub(super) fn go(&mut self) {
        let mut stdin = self.child.stdin.take().expect("a pipe");
        stdin.write_all(b"go\n").expect("it reads");
    }

    /// Its process, as this machine numbers it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

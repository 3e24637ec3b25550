//! The principal type is [`SessionError`]: why there is no session with a host, or no longer.

use std::io;
use std::time::Duration;

use crate::binary::BinaryError;
use crate::hello::PROTOCOL;

/// Why there is no session with a host, or no longer. Each names the host.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// No shell could be started here.
    #[error("host {host}: cannot start `sh` for its command: {source}")]
    Spawn {
        /// Which.
        host: String,
        /// Why.
        source: io::Error,
    },
    /// The command ended before a shell answered.
    #[error(
        "host {host}: `{command} sh` ended ({status}) before a shell answered{words}. The command has to give stdin and stdout of a shell there; try: echo 'echo ok' | {command} sh"
    )]
    Ended {
        /// Which.
        host: String,
        /// Its command.
        command: String,
        /// How it ended.
        status: String,
        /// What it said last on stderr, with a colon before; empty if nothing.
        words: String,
    },
    /// Nothing that could be a shell answered in time.
    #[error(
        "host {host}: no shell answered to `{command} sh` within {after:?}{words}. The command has to give stdin and stdout of a shell there; try: echo 'echo ok' | {command} sh"
    )]
    NoAnswer {
        /// Which.
        host: String,
        /// Its command.
        command: String,
        /// How long was waited.
        after: Duration,
        /// What it said last, with a colon before; empty if nothing.
        words: String,
    },
    /// The program is on its way for too long.
    #[error(
        "host {host}: copying {size} bytes to it did not end in time{words}. Install unladen there, or copy a smaller program: `make agent` builds one for --agent"
    )]
    SlowCopy {
        /// Which.
        host: String,
        /// Of the program.
        size: u64,
        /// What it said last, with a colon before; empty if nothing.
        words: String,
    },
    /// It writes on and on, but no answer.
    #[error(
        "host {host}: `{command} sh` writes too much before a shell answers, beginning with {begins:?}. Have its login write less, or give a command that starts no login shell"
    )]
    Noise {
        /// Which.
        host: String,
        /// Its command.
        command: String,
        /// The first of it.
        begins: String,
    },
    /// A terminal stands between.
    #[error(
        "host {host}: `{command}` puts a terminal between, which changes what is sent: take out `-t` (of ssh, docker exec, kubectl exec), and `RequestTTY` of ssh's settings"
    )]
    Terminal {
        /// Which.
        host: String,
        /// Its command.
        command: String,
    },
    /// There is no agent, and none may be copied.
    #[error("host {host}: no unladen that speaks protocol {PROTOCOL} is in the PATH there ({found}), and --no-copy forbids to copy one: install unladen {} there, or leave --no-copy out", env!("CARGO_PKG_VERSION"))]
    NoAgent {
        /// Which.
        host: String,
        /// What is there.
        found: String,
    },
    /// Something is not there that copying needs.
    #[error("host {host}: {missing} is not there, which is needed to copy the agent: {fix}")]
    Lacks {
        /// Which.
        host: String,
        /// A tool, or a file.
        missing: String,
        /// What helps.
        fix: String,
    },
    /// It is no Linux.
    #[error(
        "host {host} runs {kernel}: the agent reads what Linux counts. Read its counters by an exporter (--exporter)"
    )]
    Kernel {
        /// Which.
        host: String,
        /// As `uname -s` says.
        kernel: String,
    },
    /// There is no program for it.
    #[error("host {host}: {source}")]
    Binary {
        /// Which.
        host: String,
        /// Why.
        source: BinaryError,
    },
    /// Nowhere may a program be written and run.
    #[error(
        "host {host}: in none of {tried} a program can be both written and run (noexec, read-only or not permitted): set TMPDIR there to a folder where it can, or install unladen there"
    )]
    NoFolder {
        /// Which.
        host: String,
        /// What was tried.
        tried: String,
    },
    /// Not all of a copy arrived.
    #[error(
        "host {host}: {arrived} of {size} bytes of the agent arrived in {folder}{words}. Is its file system full? Set TMPDIR there to another folder"
    )]
    Short {
        /// Which.
        host: String,
        /// Bytes.
        arrived: String,
        /// Bytes.
        size: u64,
        /// Where.
        folder: String,
        /// What was said, with a colon before.
        words: String,
    },
    /// Something else arrived than was sent.
    #[error(
        "host {host}: the agent's bytes came out changed (another SHA-256): something in `{command}` changes what is sent, such as a terminal (-t)"
    )]
    Damaged {
        /// Which.
        host: String,
        /// Its command.
        command: String,
    },
    /// The copied program does not start there.
    #[error("host {host}: {binary} was copied there and does not start{said}.{fix}")]
    DoesNotStart {
        /// Which.
        host: String,
        /// Which program.
        binary: String,
        /// What was said, with a colon before.
        said: String,
        /// What helps.
        fix: String,
    },
    /// The agent there speaks otherwise.
    #[error("host {host}: the agent there is unladen {theirs} and speaks protocol {protocol}, this is unladen {} with protocol {PROTOCOL}: install the same version on both", env!("CARGO_PKG_VERSION"))]
    Version {
        /// Which.
        host: String,
        /// Of the program there.
        theirs: String,
        /// Of its frames.
        protocol: u32,
    },
    /// The session has ended.
    #[error("host {host} is gone: {why}{words}")]
    Gone {
        /// Which.
        host: String,
        /// How that was seen.
        why: String,
        /// What it said last on stderr, with a colon before; empty if nothing.
        words: String,
    },
    /// No answer in time.
    #[error("host {host} did not answer in time{words}")]
    Late {
        /// Which.
        host: String,
        /// What it said last on stderr, with a colon before; empty if nothing.
        words: String,
    },
    /// What it says cannot be.
    #[error("host {host}: its agent says what cannot be: {why}. Is it unladen {} there?", env!("CARGO_PKG_VERSION"))]
    Malformed {
        /// Which.
        host: String,
        /// What it said.
        why: String,
    },
    /// The agent cannot do what was asked.
    #[error("host {host}: {why}")]
    Refused {
        /// Which.
        host: String,
        /// Why.
        why: String,
    },
}

impl SessionError {
    /// Whether the session may go on: only the answer was late.
    pub fn is_late(&self) -> bool {
        matches!(self, Self::Late { .. })
    }
}

//! The principal type is [`SessionError`]: why a session with a host could not start, or ended.

use std::io;
use std::time::Duration;

use crate::binary::BinaryError;
use crate::hello::PROTOCOL;

/// Why a session with a host could not start, or ended. Each error names the host.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("host {host}: interrupted before it answered")]
    Cancelled { host: String },
    #[error("host {host}: cannot start `sh` for its command: {source}")]
    Spawn { host: String, source: io::Error },
    #[error(
        "host {host}: `{command} sh` ended ({status}) before a shell answered{words}. The command has to connect \
         stdin and stdout to a shell there; try: echo 'echo ok' | {command} sh"
    )]
    Ended { host: String, command: String, status: String, words: String },
    #[error(
        "host {host}: no shell answered to `{command} sh` within {after:?}{words}. The command has to connect stdin \
         and stdout to a shell there; try: echo 'echo ok' | {command} sh"
    )]
    NoAnswer { host: String, command: String, after: Duration, words: String },
    #[error(
        "host {host}: copying {size} bytes to it did not end in time{words}. Install unladen there, or copy a smaller program: `make agent` builds one for --agent"
    )]
    SlowCopy { host: String, size: u64, words: String },
    #[error(
        "host {host}: `{command} sh` writes too much before a shell answers, beginning with {begins:?}. Make its \
         login print less, or give a command that does not start a login shell"
    )]
    Noise { host: String, command: String, begins: String },
    #[error(
        "host {host}: `{command}` uses a terminal, which changes what is sent: remove `-t` (of ssh, docker exec, \
         kubectl exec), and `RequestTTY` from ssh's settings"
    )]
    Terminal { host: String, command: String },
    #[error("host {host}: no unladen that speaks protocol {PROTOCOL} is in the PATH there ({found}), and --no-copy \
        forbids copying one: install unladen {} there, or leave --no-copy out", env!("CARGO_PKG_VERSION"))]
    NoAgent { host: String, found: String },
    #[error("host {host}: {missing} is missing there, but needed to copy the agent: {fix}")]
    Lacks { host: String, missing: String, fix: String },
    #[error(
        "host {host} runs {kernel}: the agent works only on Linux. Read its counters from an exporter (--exporter)"
    )]
    Kernel { host: String, kernel: String },
    #[error("host {host}: {source}")]
    Binary { host: String, source: BinaryError },
    #[error(
        "host {host}: no folder of {tried} allows a program to be both written and run (noexec, read-only or not \
         permitted): set TMPDIR there to a folder that allows it, or install unladen there"
    )]
    NoFolder { host: String, tried: String },
    #[error(
        "host {host}: {arrived} of {size} bytes of the agent arrived in {folder}{words}. Is its file system full? Set TMPDIR there to another folder"
    )]
    Short { host: String, arrived: String, size: u64, folder: String, words: String },
    #[error(
        "host {host}: the agent's bytes were changed on the way (the SHA-256 differs): something in `{command}` \
         changes what is sent, such as a terminal (-t)"
    )]
    Damaged { host: String, command: String },
    #[error("host {host}: {binary} was copied there but does not start{said}.{fix}")]
    DoesNotStart { host: String, binary: String, said: String, fix: String },
    #[error("host {host}: the agent there is unladen {theirs} and speaks protocol {protocol}, this is unladen {} with protocol {PROTOCOL}: install the same version on both", env!("CARGO_PKG_VERSION"))]
    Version { host: String, theirs: String, protocol: u32 },
    #[error("host {host} was lost: {why}{words}")]
    Gone { host: String, why: String, words: String },
    #[error("host {host} did not answer in time{words}")]
    Late { host: String, words: String },
    #[error("host {host}: its agent sent invalid data: {why}. Is it unladen {} there?", env!("CARGO_PKG_VERSION"))]
    Malformed { host: String, why: String },
    #[error("host {host}: {why}")]
    Refused { host: String, why: String },
}

impl SessionError {
    /// Whether the session may go on: only the answer was late.
    pub fn is_late(&self) -> bool {
        matches!(self, Self::Late { .. })
    }
}

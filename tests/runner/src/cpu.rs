//! [`Cpu`]: the processor time of a program and of all that it waited for.

use std::time::Duration;

/// Ticks of a second that processes' times are told in (proc(5), `USER_HZ`): the same on all machines that Linux runs on but Alpha.
const TICKS: u64 = 100;

/// What `/proc/PID/stat` tells of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cpu {
    /// It has ended, and nobody has waited for it.
    pub(crate) has_ended: bool,
    /// Its own time, and that of the processes that it waited for.
    pub(crate) time: Duration,
}

impl Cpu {
    /// Of a process; none, where the kernel does not tell.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Fields behind the name, which may hold anything: state (3), utime, stime, cutime, cstime (14 to 17).
    fn parse(text: &str) -> Option<Self> {
        let (_, fields) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let ticks: u64 = fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
        Some(Self { has_ended: *fields.first()? == "Z", time: Duration::from_millis(ticks * (1000 / TICKS)) })
    }
}

#[cfg(test)]
mod tests;

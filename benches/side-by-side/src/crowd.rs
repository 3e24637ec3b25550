//! The principal type is [`Crowd`]: processes that are just there, for what looks at all processes to look at.
//!
//! Each holds the reading end of one pipe as its standard input, and ends when the pipe does: also when the bench is
//! killed.

use std::io::{PipeReader, PipeWriter, Read as _, pipe};
use std::os::fd::AsFd as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{Result, roles};

/// How often an active process runs.
const TICK: Duration = Duration::from_millis(10);

/// How long the processes may take to come to rest.
const SETTLE: Duration = Duration::from_secs(30);

/// What is there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    /// Processes that do nothing at all.
    pub(crate) idle: usize,
    /// Processes that run for a moment a hundred times a second.
    pub(crate) active: usize,
    /// Processes that are started each second, and end at once.
    pub(crate) new_per_second: usize,
}

/// Running processes.
pub(crate) struct Crowd {
    lifeline: Option<PipeWriter>,
    children: Vec<Child>,
}

impl Crowd {
    /// Starts them, and returns when all are there and at rest.
    pub(crate) fn start(size: Size) -> Result<Self> {
        let (reader, writer) = pipe()?;
        let mut crowd = Self { lifeline: Some(writer), children: Vec::new() };
        for _ in 0..size.idle {
            crowd.add(&reader, &[roles::SLEEP])?;
        }
        crowd.wait_until_at_rest()?;
        for _ in 0..size.active {
            crowd.add(&reader, &[roles::TICK])?;
        }
        if size.new_per_second > 0 {
            crowd.add(&reader, &[roles::SPAWN, &size.new_per_second.to_string()])?;
        }
        std::thread::sleep(Duration::from_millis(500));
        Ok(crowd)
    }

    fn add(&mut self, lifeline: &PipeReader, arguments: &[&str]) -> Result<()> {
        let child = Command::new("/proc/self/exe")
            .args(arguments)
            .stdin(lifeline.try_clone()?)
            .stdout(Stdio::null())
            .env_clear()
            .spawn()?;
        self.children.push(child);
        Ok(())
    }

    /// A process that has not come to its pause yet is not idle.
    fn wait_until_at_rest(&self) -> Result<()> {
        let begun = Instant::now();
        for child in &self.children {
            while !is_waiting(child.id())? {
                if begun.elapsed() > SETTLE {
                    return Err("the idle processes do not come to rest".into());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.lifeline = None;
        for child in &mut self.children {
            // It has ended, or it is about to.
            let _ = child.wait();
        }
    }
}

/// Whether it waits for its standard input (or runs): an error if it is gone.
fn is_waiting(pid: u32) -> Result<bool> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    match state {
        Some('Z' | 'X') => Err("one of the idle processes has ended".into()),
        state => Ok(state == Some('S')),
    }
}

/// Processes on this machine.
pub(crate) fn processes() -> Result<usize> {
    let names = std::fs::read_dir("/proc")?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).count())
}

/// Processes and threads started since the machine came up.
pub(crate) fn started() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let line = stat.lines().find_map(|line| line.strip_prefix("processes "));
    Ok(line.ok_or("/proc/stat has no line `processes`")?.parse()?)
}

/// As a process that does nothing.
pub(crate) fn sleep() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// As a process that runs for a moment again and again.
pub(crate) fn tick() -> Result<()> {
    while !is_over(TICK)? {}
    Ok(())
}

/// As a process that starts others.
pub(crate) fn spawn(arguments: &[String]) -> Result<()> {
    let rate: u32 = arguments.first().ok_or("the number a second is missing")?.parse()?;
    let begun = Instant::now();
    for turn in 0_u32.. {
        let planned = Duration::from_secs(1) * turn / rate;
        // Late ones follow at once: the rate holds on average.
        if is_over(planned.saturating_sub(begun.elapsed()))? {
            break;
        }
        Command::new("/bin/true").stdin(Stdio::null()).status()?;
    }
    Ok(())
}

/// Waits; whether the bench has ended meanwhile.
fn is_over(wait: Duration) -> Result<bool> {
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    let milliseconds = u16::try_from(wait.as_millis())?;
    Ok(poll(&mut fds, PollTimeout::from(milliseconds))? > 0)
}

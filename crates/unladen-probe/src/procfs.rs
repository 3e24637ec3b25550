//! The principal type is [`ProcFs`]: reads the kernel's small text files with few system calls and no allocation each.
//!
//! The kernel returns a file about one thing whole, however much is asked for. One with a record for each thing
//! (mounts, interfaces, mappings) comes by the page, so that only an empty read is the end.

pub(crate) use unladen_machine::{decimal, number_after};

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::time::{ClockId, clock_gettime};

/// Files of /proc are made anew on each read, and fit into this: the longest, /proc/PID/status and /proc/net/netstat,
/// stay below 8 KiB; /proc/stat grows by some 12 KiB per hundred processors.
const INITIAL_BUFFER: usize = 16 * 1024;

/// No file read here is larger.
const MAX_FILE: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    AtAShortRead,
    AtAnEmptyRead,
}

#[derive(Debug)]
pub(crate) struct ProcFs {
    root: PathBuf,
    path: String,
    buffer: Vec<u8>,
}

impl ProcFs {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), path: String::new(), buffer: vec![0; INITIAL_BUFFER] }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Reads `/proc/{pid}/{name}`, which is about that process alone.
    pub(crate) fn of_process(&mut self, pid: i32, name: &str) -> io::Result<&[u8]> {
        self.name_of_process(pid, name);
        self.read_path(Ends::AtAShortRead)
    }

    /// Reads `/proc/{pid}/{name}`, which has a record for each of several things.
    pub(crate) fn list_of_process(&mut self, pid: i32, name: &str) -> io::Result<&[u8]> {
        self.name_of_process(pid, name);
        self.read_path(Ends::AtAnEmptyRead)
    }

    fn name_of_process(&mut self, pid: i32, name: &str) {
        self.path.clear();
        let _ = write!(self.path, "{}/{pid}/{name}", self.root.display());
    }

    pub(crate) fn file(&mut self, name: &str) -> Result<&[u8], ProbeError> {
        self.path.clear();
        let _ = write!(self.path, "{}/{name}", self.root.display());
        let path = PathBuf::from(&self.path);
        self.read_path(Ends::AtAnEmptyRead).map_err(|source| ProbeError::Read { path, source })
    }

    pub(crate) fn absolute(&mut self, path: &Path) -> io::Result<&[u8]> {
        self.path.clear();
        let _ = write!(self.path, "{}", path.display());
        self.read_path(Ends::AtAShortRead)
    }

    pub(crate) fn link_of_process(&self, pid: i32, name: &str) -> io::Result<PathBuf> {
        std::fs::read_link(self.root.join(pid.to_string()).join(name))
    }

    pub(crate) fn pids(&self, mut each: impl FnMut(i32)) -> Result<(), ProbeError> {
        let read_error = |source| ProbeError::Read { path: self.root.clone(), source };
        for entry in std::fs::read_dir(&self.root).map_err(read_error)? {
            let name = entry.map_err(read_error)?.file_name();
            if let Some(pid) =
                name.to_str().filter(|name| name.as_bytes()[0].is_ascii_digit()).and_then(|n| n.parse().ok())
            {
                each(pid);
            }
        }
        Ok(())
    }

    pub(crate) fn tids(&self, pid: i32) -> io::Result<Vec<i32>> {
        let entries = std::fs::read_dir(self.root.join(pid.to_string()).join("task"))?;
        entries
            .map(|entry| Ok(entry?.file_name().to_str().and_then(|name| name.parse().ok())))
            .filter_map(Result::transpose)
            .collect()
    }

    fn read_path(&mut self, ends: Ends) -> io::Result<&[u8]> {
        let mut file = File::open(&self.path)?;
        let mut filled = 0;
        loop {
            let read = file.read(&mut self.buffer[filled..])?;
            filled += read;
            if read == 0 || ends == Ends::AtAShortRead && filled < self.buffer.len() {
                return Ok(&self.buffer[..filled]);
            }
            if filled >= MAX_FILE {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "longer than 4 MiB"));
            }
            if filled == self.buffer.len() {
                self.buffer.resize(filled * 2, 0);
            }
        }
    }
}

pub(crate) fn malformed(path: impl Into<PathBuf>, expected: &'static str, found: &[u8]) -> ProbeError {
    let head = &found[..found.len().min(80)];
    ProbeError::Malformed { path: path.into(), expected, found: String::from_utf8_lossy(head).into_owned() }
}

/// The second id on the line `Uid:` of /proc/PID/status.
pub(crate) fn effective_uid(status: &[u8]) -> Option<u32> {
    let line = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Uid:"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The parent process, or the one that took its place.
pub fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Why the system's counters could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("cannot read {}: {source}. Unladen reads the counters of all processes there: is /proc mounted?", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot make sense of {}: expected {expected}, found {found:?}. This kernel's format is not known: please report it", path.display())]
    Malformed { path: PathBuf, expected: &'static str, found: String },
    #[error("{} lists no process, not even this one: is it a proc file system?", path.display())]
    Empty { path: PathBuf },
}

/// Opens a file found by `O_PATH` for reading; refuses others than regular ones. A device is not even opened: that
/// alone may have effects (open(2)), with our rights.
pub(crate) fn reopened(found: OwnedFd) -> io::Result<File> {
    let found = File::from(found);
    if !found.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    // The same inode, whatever has its name by now (proc_pid_fd(5)).
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    OpenOptions::new().read(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits()).open(path)
}

/// On-CPU time in ns of all threads of a process, ended ones included; `None` if there is no such process. It is exact,
/// and takes one system call and no privilege.
///
/// The clock's id is derived from the pid as the kernel does (`CPUCLOCK_SCHED` in include/linux/posix-timers.h):
/// clock_getcpuclockid(3) derives the same, but takes a second system call to check it.
pub(crate) fn process_cpu_ns(pid: i32) -> Option<u64> {
    const CPUCLOCK_SCHED: i32 = 2;
    nanoseconds(ClockId::from_raw((!pid) << 3 | CPUCLOCK_SCHED))
}

pub(crate) fn thread_cpu_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// Monotonic clock in ns, the same as that of [`Instant`](std::time::Instant) and of the kernel's traces.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_MONOTONIC).unwrap_or(0)
}

fn nanoseconds(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock).ok()?;
    Some(u64::try_from(time.tv_sec()).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec()).ok()?)
}

#[cfg(test)]
mod tests;

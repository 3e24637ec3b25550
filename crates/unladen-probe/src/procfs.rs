//! The principal type is [`ProcFs`]: reads the kernel's small text files with few system calls and no allocation each.
//!
//! The kernel returns a file about one thing whole, however much is asked for. One with a record for each thing
//! (mounts, interfaces, mappings) comes by the page, so that only an empty read is the end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::ProbeError;

pub(crate) use unladen_machine::{decimal, number_after};

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

#[cfg(test)]
mod tests;

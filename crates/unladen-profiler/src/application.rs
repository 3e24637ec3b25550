//! The principal type is [`Application`]: the answering process.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use unladen_path::{Address, listeners, master};

use crate::profiler::ProfilerError;

/// A process that takes requests, or the master of those that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub pid: u32,
    pub exe: PathBuf,
    pub command: Vec<Vec<u8>>,
    pub kind: Kind,
}

/// The kind of an application, as far as it decides how it is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    PhpFpm,
    /// A Perl program that takes FastCGI.
    Perl,
    /// fcgiwrap, which starts a CGI program for each request.
    Fcgiwrap,
    Other,
}

impl Application {
    /// Looks at a running process; fails if it is gone or unreadable.
    pub fn of(pid: u32) -> Result<Self, ProfilerError> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let failed = |name: &str| {
            let path = folder.join(name);
            move |source| ProfilerError::Io { doing: "cannot read", path, source }
        };
        let exe = fs::read_link(folder.join("exe")).map_err(failed("exe"))?;
        let line = fs::read(folder.join("cmdline")).map_err(failed("cmdline"))?;
        let mut command: Vec<Vec<u8>> = line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        // Titles are padded with zeros.
        while command.last().is_some_and(Vec::is_empty) {
            command.pop();
        }
        let kind = Kind::of(&exe);
        Ok(Self { pid, exe, command, kind })
    }

    /// Finds the holder of the listening socket: of several, the one that started the others. Fails if there is none.
    pub(crate) fn that_listens_at(address: &Address) -> Result<Self, ProfilerError> {
        let Some(holders) = listeners(address)? else {
            return Err(ProfilerError::NotFound(format!(
                "nothing listens at {address} here: is the application in a container? Run unladen where it runs"
            )));
        };
        let Some(pid) = master(&holders) else {
            return Err(ProfilerError::NotFound(format!(
                "the process that listens at {address} cannot be found: run as root"
            )));
        };
        let master = Self::of(pid)?;
        // A mere supervisor, as multiwatch, answers nothing itself: one of the processes below it is the application.
        let known = |pid: &u32| Self::of(*pid).ok().filter(|one| one.kind != Kind::Other);
        let below = if master.kind == Kind::Other { holders.iter().find_map(known) } else { None };
        Ok(below.unwrap_or(master))
    }

    /// The address as seen from this process: the process `by` that hands requests on may have another root.
    pub(crate) fn reached(&self, address: &Address, by: u32) -> Address {
        let Address::Unix(path) = address else { return address.clone() };
        if path.as_os_str().as_bytes().starts_with(b"@") {
            return address.clone();
        }
        let full = |of: u32| {
            let folder = PathBuf::from(format!("/proc/{of}"));
            match path.strip_prefix("/") {
                Ok(rest) => folder.join("root").join(rest),
                Err(_) => folder.join("cwd").join(path),
            }
        };
        let candidates = [path.clone(), full(by), full(self.pid)];
        Address::Unix(
            candidates.into_iter().find(|path| path.exists() && path.is_absolute()).unwrap_or_else(|| path.clone()),
        )
    }
}

impl Kind {
    fn of(exe: &Path) -> Self {
        let name = exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.trim_end_matches(" (deleted)");
        let is = |program: &str| {
            name.strip_prefix(program)
                .is_some_and(|rest| rest.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == '.'))
        };
        if is("php-fpm") {
            Self::PhpFpm
        } else if is("perl") {
            Self::Perl
        } else if name == "fcgiwrap" {
            Self::Fcgiwrap
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests;

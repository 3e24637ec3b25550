//! The principal types are [`Files`]: calls on files, bytes read and written, and locks; and [`Descriptors`]: the files
//! behind descriptors.

use std::collections::{BTreeMap, HashMap};

use nix::errno::Errno;

use crate::assembly::table::{Moment, Table};
use crate::event::{FileCall, LockCall, Way};
use crate::evidence::{Evidence, FileOutcome, FileSeen, LockKind, LockSeen, TransferSeen};
use crate::secrets::path_without_secrets;

#[derive(Debug, Default)]
pub(super) struct Files {
    calls: Table<(usize, FileCall, String, FileOutcome)>,
    transfers: BTreeMap<(usize, String), Transferred>,
    locks: Table<(usize, LockKind, String)>,
    /// When each file was made by a call that fails if it exists, until it is removed.
    made: HashMap<String, Made>,
    dropped: u64,
}

#[derive(Debug, Default)]
struct Transferred {
    seen: TransferSeen,
    last_writing: Option<u64>,
}

#[derive(Debug)]
struct Made {
    moment: Moment,
    took_ns: u64,
    by_link: bool,
}

const MAX_FILES: usize = 250_000;

impl Files {
    #[allow(clippy::too_many_arguments, reason = "the parts of one event, taken apart where it is read")]
    pub(super) fn call(
        &mut self,
        group: usize,
        call: FileCall,
        path: String,
        target: Option<String>,
        result: i32,
        took_ns: u64,
        moment: Moment,
    ) {
        let outcome = outcome(result);
        self.lock_files(group, call, &path, target.as_deref(), outcome, took_ns, moment);
        // From here on the path is only reported.
        self.calls.add((group, call, path_without_secrets(path), outcome), moment, took_ns);
    }

    /// A lock file is made by a call that fails if it exists, and removed in the same request. A link always counts
    /// (nothing else makes and removes a hard link at once); a created file only if its name says so, as temporary
    /// files come and go too.
    #[allow(clippy::too_many_arguments, reason = "as above")]
    fn lock_files(
        &mut self,
        group: usize,
        call: FileCall,
        path: &str,
        target: Option<&str>,
        outcome: FileOutcome,
        took_ns: u64,
        moment: Moment,
    ) {
        match (call, outcome) {
            (FileCall::Link, FileOutcome::Found | FileOutcome::Exists) => {
                let made = target.unwrap_or(path).to_owned();
                let waited = self.made.get(&made).map_or(0, |made| made.took_ns);
                self.make(made, Made { moment, took_ns: took_ns.saturating_add(waited), by_link: true });
            }
            (FileCall::Create, FileOutcome::Found) => {
                self.make(path.to_owned(), Made { moment, took_ns, by_link: false });
            }
            (FileCall::Unlink, FileOutcome::Found) => {
                if let Some(made) = self.made.remove(path)
                    && made.moment.request == moment.request
                    && (made.by_link || is_called_lock(path))
                {
                    let told = path_without_secrets(path.to_owned());
                    self.locks.add((group, LockKind::File, told), made.moment, made.took_ns.saturating_add(took_ns));
                }
            }
            _ => {}
        }
    }

    fn make(&mut self, path: String, made: Made) {
        if self.made.len() < MAX_FILES {
            self.made.insert(path, made);
        }
    }

    pub(super) fn lock(&mut self, group: usize, call: LockCall, path: String, took_ns: u64, moment: Moment) {
        self.locks.add((group, LockKind::Call(call), path_without_secrets(path)), moment, took_ns);
    }

    pub(super) fn transfer(&mut self, group: usize, way: Way, path: String, result: i64, moment: Moment) {
        let key = (group, path_without_secrets(path));
        if self.transfers.len() >= MAX_FILES && !self.transfers.contains_key(&key) {
            self.dropped += 1;
            return;
        }
        let transferred = self.transfers.entry(key).or_default();
        let bytes = u64::try_from(result).unwrap_or(0);
        let seen = &mut transferred.seen;
        match way {
            Way::In => {
                seen.reads.add(moment.phase, 1);
                seen.read_bytes.add(moment.phase, bytes);
            }
            Way::Out => {
                seen.writes.add(moment.phase, 1);
                seen.written_bytes.add(moment.phase, bytes);
                if transferred.last_writing.replace(moment.request) != Some(moment.request) {
                    seen.writing_requests.add(moment.phase, 1);
                }
            }
        }
    }

    /// A file not removed until now is no lock.
    pub(super) fn end_phase(&mut self) {
        self.made.clear();
    }

    pub(super) fn dropped(&self) -> u64 {
        self.calls.dropped() + self.locks.dropped() + self.dropped
    }

    pub(super) fn finish(self, evidence: &mut Evidence) {
        evidence.files = self
            .calls
            .into_sorted()
            .into_iter()
            .map(|((group, call, path, outcome), counted)| FileSeen { group, call, path, outcome, counted })
            .collect();
        evidence.transfers = self
            .transfers
            .into_iter()
            .map(|((group, path), transferred)| TransferSeen { group, path, ..transferred.seen })
            .collect();
        evidence.locks = self
            .locks
            .into_sorted()
            .into_iter()
            .map(|((group, kind, path), counted)| LockSeen { group, kind, path, counted })
            .collect();
    }
}

fn outcome(result: i32) -> FileOutcome {
    if result >= 0 {
        return FileOutcome::Found;
    }
    match Errno::from_raw(-result) {
        Errno::ENOENT | Errno::ENOTDIR => FileOutcome::Missing,
        Errno::EEXIST => FileOutcome::Exists,
        Errno::EACCES | Errno::EPERM => FileOutcome::Refused,
        _ => FileOutcome::Failed,
    }
}

fn is_called_lock(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.contains("lock") || name.contains("lck")
}

/// Looks up what no event told: files that were open before tracing began.
pub trait Resolver {
    fn path_of(&self, pid: u32, fd: i32) -> Option<String>;
    fn folder_of(&self, pid: u32) -> Option<String>;
}

/// The files behind descriptors.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    processes: HashMap<u32, Process>,
}

#[derive(Debug, Default, Clone)]
struct Process {
    files: HashMap<i32, String>,
    folder: Option<String>,
}

/// Descriptors remembered for a process: its own limit is usually 1,024.
const MAX_DESCRIPTORS: usize = 65_536;

impl Descriptors {
    pub(super) fn opened(&mut self, pid: u32, fd: i32, path: &str) {
        let files = &mut self.processes.entry(pid).or_default().files;
        if files.len() < MAX_DESCRIPTORS {
            files.insert(fd, path.to_owned());
        }
    }

    pub(super) fn closed(&mut self, pid: u32, fd: i32) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.files.remove(&fd);
        }
    }

    pub(super) fn forked(&mut self, parent: u32, child: u32) {
        if let Some(process) = self.processes.get(&parent) {
            self.processes.insert(child, process.clone());
        }
    }

    pub(super) fn ended(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    pub(super) fn changed_folder(&mut self, pid: u32, folder: String) {
        self.processes.entry(pid).or_default().folder = Some(folder);
    }

    /// The path behind a descriptor whose file has this name: as it was opened, else as the system reports now, else
    /// the name.
    pub(super) fn path(&mut self, pid: u32, fd: i32, name: &str, resolver: &dyn Resolver) -> String {
        let is_it = |path: &str| path.rsplit('/').next() == Some(name);
        let files = &mut self.processes.entry(pid).or_default().files;
        if let Some(path) = files.get(&fd).filter(|path| is_it(path)) {
            return path.clone();
        }
        let path = resolver.path_of(pid, fd).filter(|path| is_it(path)).unwrap_or_else(|| name.to_owned());
        if files.len() < MAX_DESCRIPTORS {
            files.insert(fd, path.clone());
        }
        path
    }

    /// The absolute path of a call's argument.
    pub(super) fn absolute(&mut self, pid: u32, folder: Option<i32>, path: &str, resolver: &dyn Resolver) -> String {
        if path.starts_with('/') {
            return clean(path);
        }
        let process = self.processes.entry(pid).or_default();
        let from = match folder {
            Some(fd) => process.files.get(&fd).cloned().or_else(|| resolver.path_of(pid, fd)),
            None => {
                if process.folder.is_none() {
                    process.folder = resolver.folder_of(pid);
                }
                process.folder.clone()
            }
        };
        match from {
            Some(from) => clean(&format!("{}/{path}", from.trim_end_matches('/'))),
            None => path.to_owned(),
        }
    }
}

/// Removes `//`, `/./` and `/folder/../`, so that a file has one name. (A symbolic link before `..` would change the
/// file; that is rare, and the path is for people.)
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests;

//! The principal type is [`Files`]: calls on files, bytes read and written, and locks.

use std::collections::{BTreeMap, HashMap};

use nix::errno::Errno;

use super::moment::Moment;
use super::table::Table;
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
                self.make(made, Made { moment, took_ns: took_ns + waited, by_link: true });
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
                    self.locks.add((group, LockKind::File, told), made.moment, made.took_ns + took_ns);
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

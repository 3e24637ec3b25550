//! Shared by the rules on files and locks: [`lock_files`].

use std::collections::BTreeSet;

use unladen_trace::{Evidence, FileCall, LockKind};

/// Lock files of a group, and the files that are linked to create them.
pub(super) fn lock_files(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    let locks = evidence.locks.iter().filter(|seen| seen.group == group && seen.kind == LockKind::File);
    let mut paths: BTreeSet<&str> = locks.map(|seen| seen.path.as_str()).collect();
    if !paths.is_empty() {
        let links = evidence.files.iter().filter(|file| file.group == group && file.call == FileCall::Link);
        paths.extend(links.map(|file| file.path.as_str()));
    }
    paths
}

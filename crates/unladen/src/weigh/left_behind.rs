//! [`left_behind`]: what measuring leaves behind on this machine.
#![allow(clippy::disallowed_types, reason = "a file's time is wall time")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use unladen_report::LeftBehind;
use unladen_trace::{Evidence, FileCall, FileOutcome, is_kernels};

/// Most folders that are searched, the most written ones first.
const MOST_FOLDERS: usize = 16;
/// Most files of one folder that are looked at.
const MOST_FILES: usize = 1_000_000;
/// A file's time is that of the kernel's last tick, at worst 10 ms old (CONFIG_HZ=100).
const TICK: Duration = Duration::from_millis(10);

/// Start of measuring, by the clock of file times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Since(SystemTime);

impl Since {
    pub(super) fn now() -> Self {
        Self(SystemTime::now())
    }
}

/// Files created since then and still there, in folders where traced requests create files. Other programs' files there
/// count too. `root_of` locates the root folder of a group that lives in a container.
pub(super) fn left_behind(
    evidence: &[&Evidence],
    Since(since): Since,
    root_of: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<LeftBehind> {
    let since = since.checked_sub(TICK).unwrap_or(since);
    let mut folders: Vec<(Folder, f64)> = folders(evidence).into_iter().collect();
    folders.sort_by(|a, b| b.1.total_cmp(&a.1));
    folders.truncate(MOST_FOLDERS);
    let left = folders.into_iter().filter_map(|(folder, _)| look(&folder, since, &root_of));
    left.filter(|left| left.files > 0).collect()
}

/// A folder, and for one in a container the group that calls it so and where that lives.
type Folder = (String, Option<(String, String)>);

/// Folders in which files are created, and how many per request.
fn folders(evidence: &[&Evidence]) -> BTreeMap<Folder, f64> {
    let mut folders: BTreeMap<Folder, f64> = BTreeMap::new();
    for page in evidence {
        let makes = |call| matches!(call, FileCall::Create | FileCall::OpenWrite | FileCall::Rename | FileCall::Link);
        let made = page.files.iter().filter(|seen| makes(seen.call) && seen.outcome == FileOutcome::Found);
        for seen in made.filter(|seen| page.mean(&seen.counted.count) > 0.0) {
            let Some(folder) = Path::new(&seen.path).parent().and_then(Path::to_str) else { continue };
            if folder.starts_with('/') && !is_kernels(folder) {
                let group = page.groups.get(seen.group);
                let container =
                    group.and_then(|group| Some((group.name.clone(), group.container.as_ref()?.name.clone())));
                *folders.entry((folder.to_owned(), container)).or_default() += page.mean(&seen.counted.count);
            }
        }
    }
    folders
}

fn look(
    (folder, container): &Folder,
    since: SystemTime,
    root_of: &impl Fn(&str) -> Option<PathBuf>,
) -> Option<LeftBehind> {
    let (path, folder) = match container {
        Some((group, name)) => {
            (root_of(group)?.join(folder.trim_start_matches('/')), format!("{folder}, inside {name}"))
        }
        None => (PathBuf::from(folder), folder.clone()),
    };
    let mut left = LeftBehind { folder, files: 0, bytes: 0 };
    for entry in fs::read_dir(path).ok()?.flatten().take(MOST_FILES) {
        let Ok(metadata) = entry.metadata() else { continue };
        // On a file system without birth times, new files cannot be told from old ones.
        if metadata.is_file() && metadata.created().is_ok_and(|created| created >= since) {
            left.files += 1;
            left.bytes += metadata.len();
        }
    }
    Some(left)
}

#[cfg(test)]
mod tests;

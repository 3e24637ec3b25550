//! Reads `[site.snapshot]`.

use std::path::PathBuf;
use std::time::Duration;

use unladen_toml::{Problem, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;
use crate::settings::{CacheSettings, SnapshotSettings, SnapshotTrust};

/// Some hundred bytes a second of a disk's endurance; what a restart needs is written at the stop.
const EVERY: Duration = Duration::from_secs(300);
/// Below, it would be written all the time.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// `None` if the cache does not outlive the process.
pub(super) fn read(
    site: &Level<'_>,
    name: &str,
    cache: Option<&CacheSettings>,
    r: &mut Reading<'_>,
) -> Option<SnapshotSettings> {
    let folder = r.machine.state_folder().filter(|_| cache.is_some());
    let level = site.switch("snapshot", folder.is_some(), r)?;
    let Some(cache) = cache else {
        let without = "has nothing to write with the cache off (`cache = false`): remove it";
        r.refuse(site.at(&["snapshot"]), Problem::Alone { key: "snapshot", without });
        return None;
    };
    let usual = folder.map(|folder| folder.join(format!("{name}.snapshot")));
    let path = |value: &Value<'_>, r: &mut Reading<'_>| Ok(Some(r.path(value.one_line()?)));
    let file = level.take("file", usual, r, path, |path: &Option<PathBuf>| {
        path.as_ref().map_or(Shown::None, |path| Shown::Text(path.display().to_string()))
    });
    let every = level.duration("every", SHORTEST..=LONGEST, EVERY, r);
    let words = [("fresh", SnapshotTrust::Fresh), ("revalidate", SnapshotTrust::Revalidate)];
    // Sites that purge rely on their pages being gone.
    let is_purged = !cache.purge.is_empty() || cache.purge_unix;
    let usual = if is_purged { SnapshotTrust::Revalidate } else { SnapshotTrust::Fresh };
    let trust = level.choice("trust", &words, usual, r);
    let Some(file) = file else {
        let (place, key) = ("[site.snapshot]".to_owned(), "file");
        let expected =
            "the file, such as \"/var/lib/unladen/site.snapshot\" (systemd's `StateDirectory=unladen` makes one usual)";
        r.refuse(level.at(&[]), Problem::Missing { place, key, expected });
        return None;
    };
    Some(SnapshotSettings { file, every, trust })
}

#[cfg(test)]
mod tests;

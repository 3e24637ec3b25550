//! The principal type is [`KnownFolders`]: what was last seen in the folders beneath a root.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::htaccess::Htaccess;

/// How often a folder is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Then all are forgotten.
const MOST: usize = 4096;

/// By their paths, with when they were looked at.
type Known = HashMap<Vec<u8>, (Instant, Arc<KnownFolder>)>;

/// What was last seen in a folder.
#[derive(Debug)]
pub(crate) struct KnownFolder {
    /// None: it has none.
    pub(crate) htaccess: Option<Htaccess>,
    /// Without links: only scripts ask for it.
    pub(crate) real: OnceLock<PathBuf>,
}

/// What was last seen in the folders beneath a root: files of one folder are asked for many at a time, and cost no
/// further look at it.
#[derive(Debug, Default)]
pub(crate) struct KnownFolders {
    known: Mutex<Known>,
}

impl KnownFolders {
    /// What is in a folder, looked at at most a second before `now`.
    pub(crate) fn get(&self, path: &[u8], now: Instant, look: impl FnOnce() -> KnownFolder) -> Arc<KnownFolder> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, folder)) = lock().get(path)
            && now.saturating_duration_since(*at) < LOOK
        {
            return folder.clone();
        }
        let folder = Arc::new(look());
        let mut known = lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(path.to_vec(), (now, folder.clone()));
        folder
    }
}

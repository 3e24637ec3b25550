//! The principal type is [`KnownFolders`]: a short-lived memory of folders beneath a root.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::htaccess::Htaccess;

const LOOK: Duration = Duration::from_secs(1);
/// Beyond, all are forgotten.
const MOST: usize = 4096;

/// By path, with the time of the last look.
type Known = HashMap<Vec<u8>, (Instant, Arc<KnownFolder>)>;

#[derive(Debug)]
pub(crate) struct KnownFolder {
    pub(crate) htaccess: Option<Htaccess>,
    /// Without links: only scripts need it.
    pub(crate) real: OnceLock<PathBuf>,
}

/// A memory of folders beneath a root: many files of one folder are requested at a time, and need no further look at
/// it.
#[derive(Debug, Default)]
pub(crate) struct KnownFolders {
    known: Mutex<Known>,
}

impl KnownFolders {
    /// A folder's state, at most a second old at `now`.
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

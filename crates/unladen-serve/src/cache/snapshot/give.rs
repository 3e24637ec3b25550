//! [`give`]: what is kept to the process that takes over.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::heir::Heir;
use super::pour::pour;
use super::remembered::Remembered;
use super::wire::{SITE, WHOLE, frame};

/// Tells an heir what these sites keep, and from then on what they are told to forget. It waits until the heir listens.
pub(crate) fn give(heir: &Arc<Heir>, sites: &[Arc<Remembered>], patience: Duration) -> io::Result<()> {
    heir.wait(patience)?;
    // Before anything is told: what is purged meanwhile is purged after it.
    for site in sites {
        site.cache.heir.set(Some((site.name.clone(), heir.clone())));
    }
    for site in sites {
        let about = [&site.fingerprint.to_le_bytes(), site.name.as_bytes()].concat();
        heir.send(&frame(SITE, &about)?)?;
        pour(site, &mut &**heir)?;
    }
    heir.send(&frame(WHOLE, &[])?)
}

/// Nobody takes over after all.
pub(crate) fn take_back(heir: &Heir, sites: &[Arc<Remembered>]) {
    sites.iter().for_each(|site| site.cache.heir.set(None));
    heir.close();
}

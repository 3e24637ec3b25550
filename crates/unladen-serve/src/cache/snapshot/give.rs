//! [`give`]: passes what is kept to the process that takes over.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use unladen_fleet::Fleet;

use super::pour::pour;
use super::remembered::Remembered;
use super::successor::Successor;
use super::wire::{POSITION, SITE, WHOLE, frame};

/// Waits until the successor listens, then sends it what these sites keep; from then on it is sent purges too.
pub(crate) fn give(
    successor: &Arc<Successor>,
    sites: &[Arc<Remembered>],
    fleet: Option<&Fleet>,
    patience: Duration,
) -> io::Result<()> {
    successor.wait(patience)?;
    // Set before anything is sent, so that purges made meanwhile follow.
    for site in sites {
        site.cache.successor.set(Some((site.name.clone(), successor.clone())));
    }
    // Purges of other nodes after this position reach the successor by the bus.
    if let Some(position) = fleet.and_then(Fleet::position) {
        successor.send(&frame(POSITION, position.to_string().as_bytes())?)?;
    }
    for site in sites {
        let about = [&site.fingerprint.to_le_bytes(), site.name.as_bytes()].concat();
        successor.send(&frame(SITE, &about)?)?;
        pour(site, &mut &**successor)?;
    }
    successor.send(&frame(WHOLE, &[])?)
}

/// Undoes it: nobody takes over after all.
pub(crate) fn take_back(successor: &Successor, sites: &[Arc<Remembered>]) {
    sites.iter().for_each(|site| site.cache.successor.set(None));
    successor.close();
}

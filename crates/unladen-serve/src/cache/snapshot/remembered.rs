//! The principal type is [`Remembered`]: a site whose cache survives the process. [`pour`] writes what it keeps as
//! frames, to a file or to another process.

use std::io;
use std::io::Write;
use std::sync::Arc;

use unladen_cache::{Sequence, SnapshotEntry};
use unladen_serve_config::SnapshotSettings;

use super::Counts;
use super::file::fingerprint;
use crate::cache::Cache;
use crate::site::Site;

#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) name: String,
    pub(crate) cache: Cache,
    /// `None` if it survives only a handover.
    pub(crate) settings: Option<SnapshotSettings>,
    pub(crate) fingerprint: u128,
}

impl Remembered {
    /// `None` if nothing of it is kept.
    pub(crate) fn of(site: &Site) -> Option<Self> {
        let cache = site.cache.clone()?;
        let name = site.proxy.upstream.settings().name.clone();
        let settings = site.settings.snapshot.clone();
        Some(Self { name, cache, settings, fingerprint: fingerprint(&site.settings)? })
    }

    /// Stores a response of another process, unless it was purged since `sequence`, which must have been taken before
    /// the first of that process's bytes was read.
    pub(crate) fn restore(&self, entry: SnapshotEntry, sequence: Sequence, counts: &mut Counts) {
        let SnapshotEntry { key, nominated, variant, mut stored } = entry;
        stored.sequence = sequence;
        stored.body = self.cache.bodies.count(stored.body);
        counts.add(self.cache.store.restore(&key, &nominated, &variant, Arc::new(stored)));
    }

    pub(crate) fn restored(&self, counts: &Counts) {
        self.cache.account.restored(counts);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Poured {
    pub(crate) responses: u64,
    pub(crate) bytes: u64,
}

/// Bytes written at once; a longer response is not divided.
const PIECE: usize = 256 * 1024;

/// Writes all that a site keeps, up to the cache's bound, without the end frame. Holds no lock while writing; entries
/// evicted meanwhile are skipped.
pub(crate) fn pour(site: &Remembered, to: &mut impl Write) -> io::Result<Poured> {
    let mut poured = Poured::default();
    let mut piece = Vec::with_capacity(PIECE);
    for resource in site.cache.store.survey() {
        let Some(resource) = resource.upgrade() else { continue };
        for (said, stored) in resource.variants() {
            let start = piece.len();
            if !SnapshotEntry::write(&resource, said, stored, &mut piece) {
                continue;
            }
            let more = (piece.len() - start) as u64;
            if poured.bytes + more > site.cache.settings.memory {
                piece.truncate(start);
                to.write_all(&piece)?;
                return Ok(poured);
            }
            poured.responses += 1;
            poured.bytes += more;
        }
        drop(resource);
        if piece.len() >= PIECE {
            to.write_all(&piece)?;
            piece.clear();
            piece.shrink_to(2 * PIECE);
        }
    }
    to.write_all(&piece)?;
    Ok(poured)
}

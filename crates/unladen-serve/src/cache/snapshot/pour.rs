//! [`pour`]: writes what a site keeps as frames, to a file or to another process.

use std::io;
use std::io::Write;

use unladen_cache::SnapshotEntry;

use super::remembered::Remembered;

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

//! [`load`]: reads the snapshot that a site's predecessor wrote.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::Ordering;

use unladen_cache::{END, ENTRY, FRAME_LENGTH, FrameHead, HEADER_LENGTH, SnapshotEntry, SnapshotError, Time, read_end};
use unladen_fleet::{Fleet, Position};
use unladen_serve_config::SnapshotTrust;

use super::account::Counts;
use super::file::{FileError, SnapshotFile, short};
use super::remembered::Remembered;
use super::wire::POSITION;

/// How long, in milliseconds, a clean stop vouches for a snapshot: after longer, the site may have been served without
/// one meanwhile, and purges made then are unknown here.
const VOUCHES: i64 = 10 * 60 * 1000;
const BUFFER: usize = 256 * 1024;

/// Loads a snapshot if all of it is intact, for which it is read twice. Returns how many responses were taken; `None`
/// if there is no file.
pub(crate) fn load(
    site: &Remembered,
    path: &Path,
    trust: SnapshotTrust,
    fleet: Option<&Fleet>,
) -> Result<Option<u64>, FileError> {
    // Entries purged from now on are not taken.
    let sequence = site.cache.store.sequence();
    let Some(mut snapshot) = SnapshotFile::open(path)? else { return Ok(None) };
    let was_last = snapshot.header.is_last && snapshot.begin_again();
    // Checked after the mark: a next process configured as the writer was must not trust what this one skips.
    if snapshot.header.fingerprint != site.fingerprint {
        return Err(FileError::Configuration);
    }
    let mut position: Option<Position> = None;
    each(&mut snapshot, |kind, payload| {
        if kind == POSITION {
            position = std::str::from_utf8(payload).ok().and_then(|told| told.parse().ok());
        }
        Ok(())
    })?;
    let now = Time::now();
    // Negative if the clock was set back.
    let age = now.0.saturating_sub(snapshot.header.written.0);
    let is_known = match (fleet, &position) {
        (None, _) => was_last && (0..=VOUCHES).contains(&age),
        // From the position on, a fleet tells what was purged meanwhile; until then nothing vouched for by its lifetime
        // alone is served unasked. After a crash, this node may have had purges that the bus did not get; without a
        // lease, it would serve before it is told.
        (Some(fleet), Some(_)) => was_last && age >= 0 && fleet.lease().is_some(),
        (Some(_), None) => false,
    };
    let is_told = is_known && fleet.is_some();
    if let Some(fleet) = fleet {
        fleet.rewind(position);
    }
    let trusts = is_known && trust == SnapshotTrust::Fresh;
    let mut counts = Counts::default();
    let read = each(&mut snapshot, |kind, payload| {
        if kind != ENTRY {
            return Ok(());
        }
        let mut entry = SnapshotEntry::read(payload)?;
        let stored = &entry.stored;
        let has_tags = !stored.tags.is_empty() || stored.has_more_tags;
        let is_young = stored.freshness.received <= now && stored.vouched.load(Ordering::Relaxed) <= now.0;
        if !trusts || (has_tags && !is_told) || !is_young || !stored.freshness.is_fresh(now) {
            entry.doubt();
        }
        site.restore(entry, sequence, &mut counts);
        Ok(())
    });
    site.restored(&counts);
    read.map(|()| Some(counts.stored))
}

fn each(
    snapshot: &mut SnapshotFile,
    mut taken: impl FnMut(u32, &[u8]) -> Result<(), SnapshotError>,
) -> Result<(), FileError> {
    snapshot.file.seek(SeekFrom::Start(HEADER_LENGTH as u64))?;
    let mut left = snapshot.length.saturating_sub(HEADER_LENGTH as u64);
    let mut file = BufReader::with_capacity(BUFFER, &snapshot.file);
    let (mut payload, mut count) = (Vec::new(), 0);
    loop {
        let mut head = [0; FRAME_LENGTH];
        file.read_exact(&mut head).map_err(short)?;
        let head = FrameHead::read(&head);
        left = left.saturating_sub(FRAME_LENGTH as u64);
        // Allocate only for bytes that exist.
        left = left.checked_sub(head.length.into()).ok_or(SnapshotError::Short)?;
        payload.resize(head.length as usize, 0);
        file.read_exact(&mut payload).map_err(short)?;
        head.check(&payload)?;
        match head.kind {
            ENTRY => taken(ENTRY, &payload)?,
            POSITION if count == 0 => {
                taken(POSITION, &payload)?;
                continue;
            }
            END if left == 0 && read_end(&payload)? == count => return Ok(()),
            END => return Err(SnapshotError::End.into()),
            kind => return Err(SnapshotError::Kind(kind).into()),
        }
        count += 1;
    }
}

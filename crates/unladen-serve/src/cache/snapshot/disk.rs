//! A site's cache on disk: [`load`] reads the snapshot that the site's predecessor wrote, [`write`] writes one.

use std::fs::File;
use std::io;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use unladen_cache::{
    END, ENTRY, FRAME_LENGTH, FrameHead, HEADER_LENGTH, SnapshotEntry, SnapshotError, SnapshotHeader, Time, read_end,
    write_end,
};
use unladen_fleet::{Fleet, Position};
use unladen_observability::WrittenSnapshot;
use unladen_serve_config::{SnapshotSettings, SnapshotTrust};

use super::Counts;
use super::file::{FileError, NewFile, SnapshotFile, short};
use super::remembered::{Poured, Remembered, pour};
use super::successor::{POSITION, frame};

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

/// Bytes a second while requests are served: a fraction of what disks do, and some seconds for a usual cache.
const RATE: f64 = 32.0 * 1024.0 * 1024.0;

struct Paced<'a> {
    file: &'a File,
    waits: &'a dyn Fn(Duration) -> bool,
    began: Instant,
    bytes: u64,
    is_slow: bool,
}

/// `position`: all the fleet's purges up to it were applied before. `is_last`: nothing is served any more. `waits`: waits
/// between pieces; `false` gives up. `None`: given up, the old file stays.
pub(crate) fn write(
    site: &Arc<Remembered>,
    settings: &SnapshotSettings,
    position: Option<&Position>,
    is_last: bool,
    waits: &dyn Fn(Duration) -> bool,
) -> Result<Option<WrittenSnapshot>, FileError> {
    let began = Instant::now();
    let header = SnapshotHeader { fingerprint: site.fingerprint, written: Time::now(), is_last };
    let new = NewFile::begin(&settings.file)?;
    let mut file = Paced { file: &new.file, waits, began, bytes: 0, is_slow: !is_last };
    let poured = all(site, &header, position, &mut file);
    let bytes = file.bytes;
    match poured {
        Ok(poured) => {
            new.finish()?;
            let (responses, took) = (poured.responses, began.elapsed());
            Ok(Some(WrittenSnapshot { at: Time::now().0, responses, bytes, took }))
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn all(
    site: &Remembered,
    header: &SnapshotHeader,
    position: Option<&Position>,
    to: &mut impl Write,
) -> io::Result<Poured> {
    to.write_all(&header.to_bytes())?;
    if let Some(position) = position {
        to.write_all(&frame(POSITION, position.to_string().as_bytes())?)?;
    }
    let poured = pour(site, to)?;
    let mut end = Vec::new();
    write_end(poured.responses, &mut end);
    to.write_all(&end)?;
    Ok(poured)
}

impl Write for Paced<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = self.file.write(data)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        let mut rest = data;
        while !rest.is_empty() {
            match self.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                // Interrupted by a signal; giving up is another error.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let due = Duration::from_secs_f64(self.bytes as f64 / RATE);
        let pause = if self.is_slow { due.saturating_sub(self.began.elapsed()) } else { Duration::ZERO };
        if (self.waits)(pause) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

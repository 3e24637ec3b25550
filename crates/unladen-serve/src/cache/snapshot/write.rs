//! [`write`]: writes a site's cache to its file.

use std::fs::File;
use std::io;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::{SnapshotHeader, Time, write_end};
use unladen_fleet::Position;
use unladen_observability::WrittenSnapshot;
use unladen_serve_config::SnapshotSettings;

use super::file::{FileError, NewFile};
use super::pour::{Poured, pour};
use super::remembered::Remembered;
use super::wire::{POSITION, frame};

pub(crate) trait Pace: Send + Sync {
    /// Waits; `false` if writing is to be given up.
    fn wait(&self, pause: Duration) -> bool;
}

/// Bytes a second while requests are served: a fraction of what disks do, and some seconds for a usual cache.
const RATE: f64 = 32.0 * 1024.0 * 1024.0;

/// At the last write nobody else needs the disk.
pub(crate) struct AtOnce;

struct Paced<'a> {
    file: &'a File,
    pace: &'a dyn Pace,
    began: Instant,
    bytes: u64,
    is_slow: bool,
}

/// `position`: all the fleet's purges up to it were applied before. `is_last`: nothing is served any more. `None`:
/// given up, the old file stays.
pub(crate) fn write(
    site: &Arc<Remembered>,
    settings: &SnapshotSettings,
    position: Option<&Position>,
    is_last: bool,
    pace: &dyn Pace,
) -> Result<Option<WrittenSnapshot>, FileError> {
    let began = Instant::now();
    let header = SnapshotHeader { fingerprint: site.fingerprint, written: Time::now(), is_last };
    let new = NewFile::begin(&settings.file)?;
    let mut file = Paced { file: &new.file, pace, began, bytes: 0, is_slow: !is_last };
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
        if self.pace.wait(pause) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pace for AtOnce {
    fn wait(&self, _: Duration) -> bool {
        true
    }
}

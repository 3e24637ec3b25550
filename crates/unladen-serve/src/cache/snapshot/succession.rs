//! From one process to the next: [`give`] passes what is kept to the process that takes over, [`take`] takes what the
//! previous process kept, and its purges.

use std::io;
use std::io::{BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use unladen_cache::{ENTRY, Purge, Sequence, SnapshotEntry};
use unladen_fleet::{Fleet, Hold, What};

use super::remembered::{Remembered, pour};
use super::successor::{BYE, DONE, Forgotten, POSITION, PURGE, READY, SITE, Successor, UNSENT, WHOLE, frame};
use super::{Counts, successor};

/// Bytes a frame may have besides a response's body.
const HEAD: u64 = 1 << 20;

/// Takes what the previous process kept for those of these sites that are configured alike; then applies its purges for
/// as long as it lives, with `now` looking up a site by name at that time. Calls `reached` once its purges reach this
/// process, and `whole` when everything is taken.
///
/// # Errors
/// If it ended without a farewell: its last purges are unknown, so nothing taken is trusted.
pub(crate) fn take(
    stream: &UnixStream,
    sites: &[Arc<Remembered>],
    hold: Option<Hold>,
    now: impl Fn(&str) -> Option<Arc<Remembered>>,
    (reached, whole): (impl FnOnce(), impl FnOnce()),
) -> io::Result<()> {
    let taken = follow(stream, sites, hold, now, (reached, whole));
    if taken.is_err() {
        for site in sites {
            site.cache.forget(&Purge::All, true);
        }
    }
    taken
}

fn follow(
    mut stream: &UnixStream,
    sites: &[Arc<Remembered>],
    hold: Option<Hold>,
    now: impl Fn(&str) -> Option<Arc<Remembered>>,
    (reached, whole): (impl FnOnce(), impl FnOnce()),
) -> io::Result<()> {
    // Before READY is sent: entries purged from now on are not taken.
    let sites: Vec<(&Arc<Remembered>, Sequence)> =
        sites.iter().map(|site| (site, site.cache.store.sequence())).collect();
    let most = sites.iter().map(|(site, _)| site.cache.settings.memory).max().unwrap_or(0) + HEAD;
    stream.write_all(&[READY])?;
    let mut frames = BufReader::with_capacity(1 << 18, stream);
    let mut payload = Vec::new();
    let (mut counts, mut reached, mut whole) = (Counts::default(), Some(reached), Some(whole));
    let mut site: Option<(&Arc<Remembered>, Sequence)> = None;
    let mut hold = hold;
    let fleet = hold.as_ref().map(|hold| hold.fleet().clone());
    loop {
        let Some(kind) = successor::read(&mut frames, &mut payload, most)? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        // Before anything is kept: what the fleet has purged since is forgotten again, in what is taken too.
        if let Some(hold) = hold.take() {
            let told = if kind == POSITION { std::str::from_utf8(&payload).ok() } else { None };
            hold.begin_at(told.and_then(|told| told.parse().ok()));
        }
        // Whatever it sends first, it passes on purges before.
        if let Some(reached) = reached.take() {
            reached();
        }
        match (kind, &site) {
            (ENTRY, Some((site, sequence))) => {
                let entry = SnapshotEntry::read(&payload).map_err(io::Error::other)?;
                site.restore(entry, *sequence, &mut counts);
            }
            (ENTRY, None) => {}
            (SITE | WHOLE, before) => {
                if let Some((before, _)) = before {
                    before.restored(&std::mem::take(&mut counts));
                }
                site = if kind == SITE { named(&sites, &payload) } else { None };
                if kind == WHOLE
                    && let Some(whole) = whole.take()
                {
                    whole();
                    payload.shrink_to(0);
                }
            }
            (PURGE, _) => {
                let forgotten = Forgotten::read(&payload).ok_or(io::ErrorKind::InvalidData)?;
                if let Some(site) = now(&forgotten.site) {
                    site.cache.forget(&forgotten.purge, forgotten.is_soft);
                }
                stream.write_all(&[DONE])?;
            }
            (POSITION, _) => {}
            // The purged pages are unknown: the other nodes revalidate everything.
            (UNSENT, _) => fleet.iter().for_each(|fleet| fleet.tell(None, What::All, true)),
            (BYE, _) => return Ok(()),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The named site, if it is configured as it is there.
fn named<'s>(sites: &[(&'s Arc<Remembered>, Sequence)], payload: &[u8]) -> Option<(&'s Arc<Remembered>, Sequence)> {
    let (fingerprint, name) = payload.split_first_chunk()?;
    let (site, sequence) = sites.iter().find(|(site, _)| site.name.as_bytes() == name)?;
    if site.fingerprint != u128::from_le_bytes(*fingerprint) {
        site.cache.account.refused("the site's configuration was different in the previous process".to_owned());
        return None;
    }
    Some((site, *sequence))
}

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

//! Ends the slowest takers while the process is at its bound. Connections that wait for the application, with nothing
//! to take, are exempt.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::bounds::{Bounds, count};
use super::share::{Holders, Share};

/// Bytes a second that always count as fast enough.
pub(crate) const LEAST_RATE: u64 = 16 * 1024;
/// Time a connection is observed before it is judged.
const MILLISECONDS: u64 = 1000;

/// Ends those whose bytes would stay longest, until at most three fourths are held, of the process's bound and each
/// client's.
pub(super) fn shed(bounds: &Bounds, holders: &Holders) {
    shed_at(bounds, holders, milliseconds());
}

pub(super) fn shed_at(bounds: &Bounds, holders: &Holders, now: u64) {
    let holders = holders.all().iter().filter_map(std::sync::Weak::upgrade).collect::<Vec<_>>();
    let waiting = holders.into_iter().filter(|share| share.is_waiting() && !share.is_ended());
    let mut slow: Vec<(u64, Arc<Share>)> = waiting.filter_map(|share| Some((stay(&share, now)?, share))).collect();
    slow.sort_by_key(|(stay, _)| std::cmp::Reverse(*stay));
    let mut too_much = bounds.too_much();
    // Bytes still to be released, by client.
    let mut of_clients: HashMap<usize, usize> = HashMap::new();
    for (_, share) in slow {
        let held = share.held();
        let of_client = share.clients_too_much().map(|(client, bytes)| of_clients.entry(client).or_insert(bytes));
        if too_much == 0 && of_client.as_ref().is_none_or(|bytes| **bytes == 0) {
            continue;
        }
        too_much = too_much.saturating_sub(held);
        if let Some(bytes) = of_client {
            *bytes = bytes.saturating_sub(held);
        }
        count(&bounds.counts.ended_slow);
        share.end();
    }
}

/// Milliseconds until what is held would be taken at the current rate; `None` if that is fast enough, or not known yet.
fn stay(share: &Share, now: u64) -> Option<u64> {
    let (at, moved) = (share.pace.at.load(Ordering::Relaxed), share.moved());
    let since = now.saturating_sub(at.saturating_sub(1));
    if at != 0 && since < MILLISECONDS {
        return None;
    }
    let taken = moved.saturating_sub(share.pace.moved.swap(moved, Ordering::Relaxed));
    share.pace.at.store(now + 1, Ordering::Relaxed);
    // An old observation says nothing: start anew.
    if at == 0 || since > 10 * MILLISECONDS {
        return None;
    }
    let rate = taken * 1000 / since;
    (rate < LEAST_RATE).then(|| share.held() as u64 * 1000 / rate.max(1))
}

/// Since the first call.
fn milliseconds() -> u64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX / 2)
}

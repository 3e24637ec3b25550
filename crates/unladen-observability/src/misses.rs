//! The principal type is [`Misses`]: the most frequent misses of the last minutes, in bounded memory.
//!
//! The algorithm is Space-Saving (Metwally, Agrawal, El Abbadi 2005): the requests of [`PLACES`] targets are counted; a
//! new target replaces the one with the fewest, and inherits its count, which is remembered as the possible error. A
//! target with more than one in [`PLACES`] of all misses of a thread is certainly included. Two such counts follow each
//! other in time, so that old targets are forgotten.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::{CacheResult, RequestAccount};

/// Targets that a thread counts at a time, for one site.
pub(super) const PLACES: usize = 50;

/// Length of a count; it is reported together with the previous one.
pub(super) const WINDOW: Duration = Duration::from_secs(300);

// Maximum bytes of text that peers choose.
const AUTHORITY: usize = 128;
const TARGET: usize = 384;

#[derive(Debug, Default)]
pub(super) struct Misses(Mutex<Windows>);

#[derive(Debug, Default)]
struct Windows {
    now: Vec<Miss>,
    before: Vec<Miss>,
    began: Option<Instant>,
}

/// A target that the application was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Hash of authority and target before they were cut.
    hash: u64,
    pub authority: Box<[u8]>,
    pub target: Box<[u8]>,
    pub is_cut: bool,
    /// Upper bound of the requests.
    pub requests: u64,
    /// Possible error of `requests`: some may be other targets'.
    pub unsure: u64,
    pub time: Duration,
    /// The latest cache result.
    pub result: CacheResult,
    pub why: &'static str,
}

impl Misses {
    pub(super) fn add(&self, record: &RequestAccount<'_>, result: CacheResult, why: &'static str) {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = record.began.checked_add(record.total).unwrap_or(record.began);
        windows.turn(now);
        windows.began.get_or_insert(now);
        let entries = &mut windows.now;
        let hash = hasher().hash_one((record.authority, record.target));
        let place = match entries.iter().position(|miss| miss.hash == hash) {
            Some(place) => place,
            None if entries.len() < PLACES => {
                entries.push(Miss::new(hash, record));
                entries.len() - 1
            }
            None => {
                let by_requests = entries.iter().enumerate().min_by_key(|(_, miss)| miss.requests);
                let Some((place, requests)) = by_requests.map(|(place, miss)| (place, miss.requests)) else { return };
                entries[place] = Miss { requests, unsure: requests, ..Miss::new(hash, record) };
                place
            }
        };
        let miss = &mut entries[place];
        miss.requests += 1;
        miss.time = miss.time.saturating_add(record.total);
        (miss.result, miss.why) = (result, why);
    }

    pub(super) fn look(&self) -> Vec<Miss> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.turn(Instant::now());
        // The current one last, since the latest result is shown.
        windows.before.iter().chain(&windows.now).cloned().collect()
    }
}

impl Windows {
    fn turn(&mut self, now: Instant) {
        let Some(began) = self.began else { return };
        let lasted = now.saturating_duration_since(began);
        if lasted < WINDOW {
            return;
        }
        self.before = std::mem::take(&mut self.now);
        self.began = Some(now);
        if lasted >= 2 * WINDOW {
            self.before.clear();
            self.began = None;
        }
    }
}

impl Miss {
    fn new(hash: u64, record: &RequestAccount<'_>) -> Self {
        let cut = |bytes: &[u8], most: usize| bytes.get(..most).unwrap_or(bytes).into();
        Self {
            hash,
            authority: cut(record.authority, AUTHORITY),
            target: cut(record.target, TARGET),
            is_cut: record.authority.len() > AUTHORITY || record.target.len() > TARGET,
            requests: 0,
            unsure: 0,
            time: Duration::ZERO,
            result: CacheResult::Miss,
            why: "",
        }
    }

    pub(super) fn most(of_threads: Vec<Vec<Self>>) -> Vec<Self> {
        let mut sums: Vec<Self> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for miss in of_threads.into_iter().flatten() {
            let place = *places.entry(miss.hash).or_insert(sums.len());
            match sums.get_mut(place) {
                Some(sum) => {
                    sum.requests += miss.requests;
                    sum.unsure += miss.unsure;
                    sum.time = sum.time.saturating_add(miss.time);
                    (sum.result, sum.why) = (miss.result, miss.why);
                }
                None => sums.push(miss),
            }
        }
        sums.sort_by(|a, b| {
            b.requests.cmp(&a.requests).then_with(|| (&a.authority, &a.target).cmp(&(&b.authority, &b.target)))
        });
        sums.truncate(PLACES);
        sums
    }

    /// Mean time of the requests that are certain.
    pub fn mean(&self) -> Duration {
        let sure = u32::try_from(self.requests.saturating_sub(self.unsure)).unwrap_or(u32::MAX);
        self.time.checked_div(sure).unwrap_or_default()
    }
}

/// Shared by all threads, so that their counts can be added; differs between processes.
fn hasher() -> &'static RandomState {
    static HASHER: OnceLock<RandomState> = OnceLock::new();
    HASHER.get_or_init(RandomState::new)
}

#[cfg(test)]
mod tests;

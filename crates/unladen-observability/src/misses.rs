//! The principal type is [`Misses`]: what the application is asked for most, within the last minutes, in memory that is
//! bounded whatever is asked for.
//!
//! It is the algorithm Space-Saving (Metwally, Agrawal, El Abbadi 2005): of so many targets the requests are counted; a
//! target that is not among them takes the place of the one with the fewest, and its count, which is remembered as what
//! may be too much. What makes more than one in [`PLACES`] of all misses of a thread is in it for certain. Two such
//! counts follow each other in time, so that what is no longer asked for is forgotten.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::{CacheResult, RequestAccount};

/// Targets that a thread counts at a time, for one site.
pub(super) const PLACES: usize = 50;

/// A count lasts so long; it is told together with the one before.
pub(super) const WINDOW: Duration = Duration::from_secs(300);

// Of what peers choose, in bytes.
const AUTHORITY: usize = 128;
const TARGET: usize = 384;

/// What the application is asked for most. One thread adds to it.
#[derive(Debug, Default)]
pub(super) struct Misses(Mutex<Windows>);

#[derive(Debug, Default)]
struct Windows {
    now: Vec<Miss>,
    before: Vec<Miss>,
    /// When the present one began.
    began: Option<Instant>,
}

/// A target that the application was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Of the authority and the target, before they were cut.
    hash: u64,
    /// The host.
    pub authority: Box<[u8]>,
    /// Path and query.
    pub target: Box<[u8]>,
    /// Whether one of them was too long, and is not whole.
    pub is_cut: bool,
    /// Requests, at most …
    pub requests: u64,
    /// … of which so many may have been for others.
    pub unsure: u64,
    /// What those that were certainly for it took, together.
    pub time: Duration,
    /// What the cache did the last time, …
    pub result: CacheResult,
    pub why: &'static str,
}

impl Misses {
    /// Counts a request that the application was asked for.
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

    /// What is counted, in both counts.
    pub(super) fn look(&self) -> Vec<Miss> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.turn(Instant::now());
        // The present one last: what happened last is told.
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

    /// The most of what all threads counted.
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

    /// What those took on average that were certainly for it.
    pub fn mean(&self) -> Duration {
        let sure = u32::try_from(self.requests.saturating_sub(self.unsure)).unwrap_or(u32::MAX);
        self.time.checked_div(sure).unwrap_or_default()
    }
}

/// The same on all threads, so that their counts can be added; another in each process.
fn hasher() -> &'static RandomState {
    static HASHER: OnceLock<RandomState> = OnceLock::new();
    HASHER.get_or_init(RandomState::new)
}

#[cfg(test)]
mod tests;

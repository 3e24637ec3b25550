//! The principal type is [`Watch`]: how old an exporter's values are, from answers while requests were sent and after.
//!
//! A counter that an exporter tells late puts the work of one phase into the next. How late it is shows in three ways:
//! - its steps: what is read of a cache moves once in a while, however often one asks, although requests go on;
//! - its tail: how long after the last request it still moves, and then no more;
//! - its timestamps, where the exporter gives some.
//!
//! A family that grows as fast without requests as with them, such as the seconds since a start, says nothing, if others
//! do follow the requests. Each family is judged by itself: a machine's disk counters move with the writes, seconds after the request that
//! caused them, beside processor times that are told at once. What the phases have to wait for is the lag of most
//! families ([`MOST`]); those that are later still are left out, and are told of.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::growth::Growth;
use crate::publisher::{Hidden, Publisher, is_own, publisher};

/// Steps of a family after which its pace is known.
const STEPS: usize = 3;
/// Requests are sent for so long at least, and quiet is kept for so long.
const LEAST: Duration = Duration::from_secs(2);
/// From one question to the next for so long after requests begin, and after they end: a lag can be told no finer than
/// that, and the settle gap would be longer than what is told at once needs …
const QUICK_PAUSE: Duration = Duration::from_millis(50);
/// … and from then on, as what is late is known by now to be later than that …
const PAUSE: Duration = Duration::from_millis(200);
/// … and so many times what an answer takes: an exporter that works hard for each is not to do nothing else.
const PAUSE_TRIPS: u32 = 2;
/// The longest that requests are sent for the sake of this test: twice what cAdvisor's slowest usual step takes.
const MOST_SENDING: Duration = Duration::from_secs(32);
/// The longest quiet.
const MOST_QUIET: Duration = Duration::from_secs(40);
/// The part of the families that moved which the phases wait for.
const MOST: f64 = 0.75;
/// Beyond what was seen: steps that vary, and moments of asking that met a step late.
const MARGIN: f64 = 1.25;
/// A family follows the requests if it grows so many times as fast with them as later, without them.
const FOLLOWS: f64 = 2.0;
/// A family is at rest once it has been still for so many of its usual gaps.
const REST: f64 = 1.2;
/// What comes later than this part of a family's growth is taken for the work of others: a server that tidies up seconds
/// after the last request had phases wait for it, and a run take half an hour.
const NEARLY: f64 = 0.99;
/// An age of more than this is another clock's, or a value that nobody refreshes.
const LONGEST_AGE: Duration = Duration::from_secs(3_600);
/// Resolution of an answer's `Date`.
const DATE_STEP_MS: i64 = 1_000;

/// Moves that are remembered, of all families together: a thousand families that move at every answer for as long as they
/// are watched. What an exporter with tens of thousands of them does later is not looked at.
const MOST_MOVES: usize = 2_000_000;

/// How old an exporter's values are.
#[derive(Debug, Clone, PartialEq)]
pub struct Freshness {
    /// How long after the last request most of what it caused can be read.
    pub lag: Duration,
    /// What a settle gap has to be.
    pub settle: Duration,
    /// Families that moved.
    pub moved: usize,
    /// Families that are later than the settle gap, by name.
    pub late: BTreeSet<String>,
    /// What may come later than the settle gap although the watch did not see it.
    pub hidden: Option<Hidden>,
    /// Answers that this rests on.
    pub answers: usize,
}

/// Why an exporter's values cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFresh {
    #[error("none of its series is a counter: there is nothing that requests could add to")]
    NoCounters,
    #[error(
        "none of its {series} counters moved in {answers} answers over {} s, while requests were sent; its values are \
         older than that, or it tells of something that requests to this URL do not reach", watched.as_secs()
    )]
    Unmoved { series: usize, answers: usize, watched: Duration },
}

/// Answers of an exporter while requests are sent, and after.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    families: BTreeMap<String, Seen>,
    series: usize,
    answers: usize,
    first: Option<Duration>,
    last: Duration,
    /// When the last request was done.
    stopped: Option<Duration>,
    /// How long answers took.
    took: Vec<Duration>,
    room: Room,
}

/// For how many more moves there is room.
#[derive(Debug, Clone)]
struct Room(usize);

/// What was seen of a family.
#[derive(Debug, Clone, Default)]
struct Seen {
    moves: Vec<Duration>,
    /// By how much all of its series did then.
    amounts: Vec<f64>,
    /// The oldest value that it gave, by its timestamps.
    oldest: Duration,
}

impl Default for Room {
    fn default() -> Self {
        Self(MOST_MOVES)
    }
}

impl Seen {
    /// When nearly all of what it grew by was there ([`NEARLY`]).
    fn mostly_told(&self) -> Option<Duration> {
        let all: f64 = self.amounts.iter().sum();
        let mut so_far = 0.0;
        let is_there = |(_, amount): &(&Duration, &f64)| {
            so_far += **amount;
            so_far >= all * NEARLY
        };
        let found = self.moves.iter().zip(&self.amounts).find(is_there).map(|(at, _)| *at);
        found.or_else(|| self.moves.last().copied())
    }
}

impl Watch {
    /// An answer: when it was asked for and when it was there, by one monotonic clock; the exporter's own time then, if
    /// known; and what has grown, as [`Growth::advance`] says.
    pub fn answered(
        &mut self,
        asked: Duration,
        at: Duration,
        server_ms: Option<i64>,
        growth: &Growth,
        grown: &[(usize, f64)],
    ) {
        self.answers += 1;
        self.first.get_or_insert(at);
        self.last = at;
        self.took.push(at.saturating_sub(asked));
        self.series = growth.series().iter().filter(|series| !series.is_refuted).count();
        let mut moved = BTreeSet::new();
        for (index, by) in grown {
            let Some(series) = growth.series().get(*index) else { continue };
            if is_own(&series.family) {
                continue;
            }
            let is_new = !moved.contains(series.family.as_str());
            if is_new && self.room.0 == 0 {
                continue;
            }
            let seen = self.families.entry(series.family.clone()).or_default();
            if is_new {
                self.room.0 -= 1;
                moved.insert(series.family.as_str());
                seen.moves.push(at);
                seen.amounts.push(0.0);
            }
            if let Some(amount) = seen.amounts.last_mut() {
                *amount += by;
            }
            if let (Some(now), Some(then)) = (server_ms, growth.timestamp_ms(*index)) {
                let age = now.saturating_sub(then).saturating_sub(DATE_STEP_MS);
                let age = Duration::from_millis(u64::try_from(age).unwrap_or(0));
                if age <= LONGEST_AGE {
                    seen.oldest = seen.oldest.max(age);
                }
            }
        }
    }

    /// The last request is done.
    pub fn stopped_sending(&mut self, at: Duration) {
        self.stopped.get_or_insert(at);
    }

    /// Whether no requests are sent any longer.
    pub fn has_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// How long to wait after an answer that took so long, until it is asked again.
    pub fn pause(&self, now: Duration, took: Duration) -> Duration {
        let begun = self.stopped.or(self.first).unwrap_or(now);
        let is_new = now.saturating_sub(begun) < LEAST;
        (if is_new { QUICK_PAUSE } else { PAUSE }).max(took * PAUSE_TRIPS)
    }

    /// Whether requests should go on: the pace of most families that have moved is not known yet.
    pub fn wants_requests(&self, now: Duration) -> bool {
        let Some(first) = self.first else { return now < MOST_SENDING };
        let watched = now.saturating_sub(first);
        if watched < LEAST {
            return true;
        }
        let moving = self.families.len();
        let known = self.families.values().filter(|seen| seen.moves.len() >= STEPS).count();
        let is_enough = moving > 0 && known * 2 >= moving;
        !is_enough && watched < MOST_SENDING
    }

    /// Whether quiet should go on: something may still come of the last requests.
    pub fn wants_quiet(&self, now: Duration) -> bool {
        let Some(stopped) = self.stopped else { return true };
        let quiet = now.saturating_sub(stopped);
        let known = self.publishers().map(|publisher| publisher.quiet).max();
        let twice_the_lag = self.lag().map_or(Duration::ZERO, |lag| lag * 2);
        quiet < LEAST.max(known.unwrap_or_default()).max(twice_the_lag).min(MOST_QUIET)
    }

    /// What came of it; `settle` is the gap that there is anyway.
    ///
    /// # Errors
    /// If nothing that was seen can be used.
    pub fn judge(&self, settle: Duration) -> Result<Freshness, NotFresh> {
        let watched = self.last.saturating_sub(self.first.unwrap_or(self.last));
        if self.series == 0 {
            return Err(NotFresh::NoCounters);
        }
        let Some(lag) = self.lag() else {
            return Err(NotFresh::Unmoved { series: self.series, answers: self.answers, watched });
        };
        let mut took = self.took.clone();
        took.sort_unstable();
        let took = took.get(took.len() / 2).copied().unwrap_or_default();
        // An answer is of some moment while it was made.
        let least = self.publishers().map(|publisher| publisher.settle).max().unwrap_or_default();
        let settle = settle.max(lag.mul_f64(MARGIN)).max(took * 2).max(least);
        let hidden = self.publishers().filter_map(|publisher| publisher.hidden);
        let hidden = hidden.filter(|hidden| hidden.after >= settle).max_by_key(|hidden| hidden.after);
        let late = self.lags().into_iter().filter(|(_, lag)| *lag > settle).map(|(family, _)| family.clone()).collect();
        Ok(Freshness { lag, settle, moved: self.families.len(), late, hidden, answers: self.answers })
    }

    /// Of the families that moved, those whose publishing is known.
    fn publishers(&self) -> impl Iterator<Item = &'static Publisher> {
        self.families.keys().filter_map(|family| publisher(family))
    }

    /// The lag of most families; none if none moved.
    fn lag(&self) -> Option<Duration> {
        let all = self.lags();
        let of = |follows: bool| -> Vec<Duration> {
            let kept = all.iter().filter(|(family, _)| !follows || self.follows(family));
            kept.map(|(_, lag)| *lag).collect()
        };
        let mut lags = of(true);
        if lags.is_empty() {
            lags = of(false);
        }
        lags.sort_unstable();
        let place = (lags.len() as f64 * MOST).ceil() as usize;
        lags.get(place.saturating_sub(1)).copied()
    }

    /// Whether a family grew faster with requests than it did in the second half of the quiet, which a tail of them
    /// does not reach.
    fn follows(&self, family: &str) -> bool {
        let (Some(seen), Some(first), Some(stopped)) = (self.families.get(family), self.first, self.stopped) else {
            return true;
        };
        let half = stopped + self.last.saturating_sub(stopped) / 2;
        let sum = |is_late: bool| -> f64 {
            let of = seen.moves.iter().zip(&seen.amounts).filter(|(at, _)| (**at > half) == is_late);
            of.map(|(_, amount)| amount).sum()
        };
        let rate = |sum: f64, time: Duration| sum / time.as_secs_f64().max(1e-3);
        rate(sum(false), stopped.saturating_sub(first)) > FOLLOWS * rate(sum(true), self.last.saturating_sub(half))
    }

    /// Of each family that moved often enough.
    fn lags(&self) -> BTreeMap<&String, Duration> {
        self.families.iter().filter_map(|(family, seen)| Some((family, self.lag_of(seen)?))).collect()
    }

    fn lag_of(&self, seen: &Seen) -> Option<Duration> {
        let gaps =
            |moves: &[Duration]| moves.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect::<Vec<_>>();
        let Some(stopped) = self.stopped else { return upper(gaps(&seen.moves)).map(|gap| gap.max(seen.oldest)) };
        let last = *seen.moves.last()?;
        let tail = seen.mostly_told()?.saturating_sub(stopped);
        let still = self.last.saturating_sub(last.max(stopped));
        let is_at_rest = match median(gaps(&seen.moves)) {
            Some(pace) => still >= pace.mul_f64(REST),
            None => still >= last.saturating_sub(stopped),
        };
        if is_at_rest {
            // What moved it was the requests.
            let while_sending: Vec<Duration> = seen.moves.iter().copied().filter(|at| *at <= stopped).collect();
            return Some(tail.max(upper(gaps(&while_sending)).unwrap_or_default()).max(seen.oldest));
        }
        // Others move it too, so that its tail says nothing; what is asked of a cache moves no faster than the cache.
        gaps(&seen.moves).into_iter().min().or(Some(tail)).map(|gap| gap.max(seen.oldest))
    }
}

/// The upper quartile: a step falls between two questions, so that gaps are now shorter and now longer than it.
fn upper(mut durations: Vec<Duration>) -> Option<Duration> {
    durations.sort_unstable();
    durations.get(durations.len() * 3 / 4).copied()
}

fn median(mut durations: Vec<Duration>) -> Option<Duration> {
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied()
}

#[cfg(test)]
mod tests;

//! The principal type is [`Watch`]: how old an exporter's values are, from answers while requests were sent and after.
//!
//! A counter that is published late adds the work of one phase to the next. Its lag shows in three ways:
//! - steps: cached values move once in a while, however often one asks, although requests go on;
//! - the tail: how long after the last request it still moves;
//! - timestamps, if the exporter gives some.
//!
//! A family that grows as fast without requests as with them, such as the seconds since a start, says nothing, if
//! others do follow the requests. Each family is judged by itself: a machine's disk counters move with the writes,
//! seconds after the request that caused them, beside processor times that are published at once. Phases wait for the
//! lag of most families ([`MOST`]); later ones are left out and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::growth::Growth;

/// Steps of a family after which its pace is known.
const STEPS: usize = 3;
/// Least duration of sending, and of quiet.
const LEAST: Duration = Duration::from_secs(2);
/// Pause between answers for so long after requests begin, and after they end: a lag can be measured no finer than
/// that, and the settle gap would otherwise be longer than immediate values need …
const QUICK_PAUSE: Duration = Duration::from_millis(50);
/// … and from then on, as late values are known by now to be later than that …
const PAUSE: Duration = Duration::from_millis(200);
/// … and at least so many times an answer's duration, to leave the exporter time for other work.
const PAUSE_TRIPS: u32 = 2;
/// Longest sending for the sake of this test: twice cAdvisor's slowest usual step.
const MOST_SENDING: Duration = Duration::from_secs(32);
const MOST_QUIET: Duration = Duration::from_secs(40);
/// The part of the families that moved which the phases wait for.
const MOST: f64 = 0.75;
/// Allowance for varying steps, and for answers that met a step late.
const MARGIN: f64 = 1.25;
/// A family follows the requests if it grows so many times as fast with them as later, without them.
const FOLLOWS: f64 = 2.0;
/// A family is at rest once it has been still for so many of its usual gaps.
const REST: f64 = 1.2;
/// Growth after this part of a family's total is taken for the work of others: a server that tidies up seconds after
/// the last request had phases wait for it, and a run take half an hour.
const NEARLY: f64 = 0.99;
/// A larger age is another clock's, or a value that nobody refreshes.
const LONGEST_AGE: Duration = Duration::from_secs(3_600);
/// Resolution of an answer's `Date`.
const DATE_STEP_MS: i64 = 1_000;

/// Moves remembered, of all families together: a thousand families that move at every answer for the whole watch. Later
/// ones of exporters with tens of thousands are ignored.
const MOST_MOVES: usize = 2_000_000;

/// How old an exporter's values are.
#[derive(Debug, Clone, PartialEq)]
pub struct Freshness {
    /// Time after the last request until most of its effects can be read.
    pub lag: Duration,
    /// The settle gap needed.
    pub settle: Duration,
    pub moved: usize,
    /// Families later than the settle gap, by name.
    pub late: BTreeSet<String>,
    /// What may come later than the settle gap, unseen by the watch.
    pub hidden: Option<Hidden>,
    pub answers: usize,
}

/// Why an exporter's values cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFresh {
    #[error("none of its series is a counter, so requests cannot show in it")]
    NoCounters,
    #[error(
        "none of its {series} counters moved in {answers} answers over {} s, while requests were sent; its values are \
         older than that, or it reports on something that requests to this URL do not reach", watched.as_secs()
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
    /// End of the last request.
    stopped: Option<Duration>,
    took: Vec<Duration>,
    /// Moves kept of all families.
    moves: usize,
}

#[derive(Debug, Clone, Default)]
struct Seen {
    moves: Vec<Duration>,
    /// Growth of all of its series at each move.
    amounts: Vec<f64>,
    /// The oldest value by its timestamps.
    oldest: Duration,
}

impl Seen {
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
    /// Adds an answer: when it was requested and received, by one monotonic clock; the exporter's own time then, if
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
            if is_new && self.moves == MOST_MOVES {
                continue;
            }
            let seen = self.families.entry(series.family.clone()).or_default();
            if is_new {
                self.moves += 1;
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

    /// Whether sending has stopped.
    pub fn has_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Pause after an answer that took so long.
    pub fn pause(&self, now: Duration, took: Duration) -> Duration {
        let begun = self.stopped.or(self.first).unwrap_or(now);
        let is_new = now.saturating_sub(begun) < LEAST;
        (if is_new { QUICK_PAUSE } else { PAUSE }).max(took * PAUSE_TRIPS)
    }

    /// Whether requests should go on: the pace of most families that moved is not known yet.
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

    /// Whether quiet should go on: the last requests may still have effects.
    pub fn wants_quiet(&self, now: Duration) -> bool {
        let Some(stopped) = self.stopped else { return true };
        let quiet = now.saturating_sub(stopped);
        let known = self.publishers().map(|publisher| publisher.quiet).max();
        let twice_the_lag = self.lag().map_or(Duration::ZERO, |lag| lag * 2);
        quiet < LEAST.max(known.unwrap_or_default()).max(twice_the_lag).min(MOST_QUIET)
    }

    /// The result; `settle` is the gap that there is anyway. Fails if nothing observed can be used.
    pub fn judge(&self, settle: Duration) -> Result<Freshness, NotFresh> {
        let watched = self.last.saturating_sub(self.first.unwrap_or(self.last));
        if self.series == 0 {
            return Err(NotFresh::NoCounters);
        }
        let Some(lag) = self.lag() else {
            return Err(NotFresh::Unmoved { series: self.series, answers: self.answers, watched });
        };
        let took = quarters(2, self.took.clone()).unwrap_or_default();
        // An answer shows some moment during its generation.
        let least = self.publishers().map(|publisher| publisher.settle).max().unwrap_or_default();
        let settle = settle.max(lag.mul_f64(MARGIN)).max(took * 2).max(least);
        let hidden = self.publishers().filter_map(|publisher| publisher.hidden);
        let hidden = hidden.filter(|hidden| hidden.after >= settle).max_by_key(|hidden| hidden.after);
        let late = self.lags().into_iter().filter(|(_, lag)| *lag > settle).map(|(family, _)| family.clone()).collect();
        Ok(Freshness { lag, settle, moved: self.families.len(), late, hidden, answers: self.answers })
    }

    fn publishers(&self) -> impl Iterator<Item = &'static Publisher> {
        self.families.keys().filter_map(|family| publisher(family))
    }

    /// The lag of most families; `None` if none moved.
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

    /// Whether a family grew faster with requests than in the second half of the quiet, which its tail does not reach.
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

    fn lags(&self) -> BTreeMap<&String, Duration> {
        self.families.iter().filter_map(|(family, seen)| Some((family, self.lag_of(seen)?))).collect()
    }

    fn lag_of(&self, seen: &Seen) -> Option<Duration> {
        let gaps =
            |moves: &[Duration]| moves.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect::<Vec<_>>();
        // A step falls between two answers, so gaps vary around it: the upper quartile is the pace.
        let Some(stopped) = self.stopped else { return quarters(3, gaps(&seen.moves)).map(|gap| gap.max(seen.oldest)) };
        let last = *seen.moves.last()?;
        let tail = seen.mostly_told()?.saturating_sub(stopped);
        let still = self.last.saturating_sub(last.max(stopped));
        let is_at_rest = match quarters(2, gaps(&seen.moves)) {
            Some(pace) => still >= pace.mul_f64(REST),
            None => still >= last.saturating_sub(stopped),
        };
        if is_at_rest {
            // These moves were due to the requests.
            let while_sending: Vec<Duration> = seen.moves.iter().copied().filter(|at| *at <= stopped).collect();
            return Some(tail.max(quarters(3, gaps(&while_sending)).unwrap_or_default()).max(seen.oldest));
        }
        // Others move it too, so its tail says nothing; a cached value moves no faster than the cache, unless an answer was
        // late: just before the next step, it makes the shortest gap.
        quarters(1, gaps(&seen.moves)).or(Some(tail)).map(|gap| gap.max(seen.oldest))
    }
}

/// The duration that so many quarters of all are below.
fn quarters(number: usize, mut durations: Vec<Duration>) -> Option<Duration> {
    durations.sort_unstable();
    durations.get(durations.len() * number / 4).copied()
}

/// Families whose values are known to come late, and how long one has to watch to see it.
#[derive(Debug, Clone, Copy)]
struct Publisher {
    prefix: &'static str,
    /// How long to watch after the last request.
    quiet: Duration,
    /// The least settle gap, however little the watch saw: what a quick machine publishes at once, a busy one publishes
    /// a turn later. Zero if the watch sees each turn.
    settle: Duration,
    hidden: Option<Hidden>,
}

/// Values that may come later than any watch sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    pub who: &'static str,
    pub after: Duration,
    /// The settle gap that rules it out.
    pub settle: Duration,
}

const PUBLISHERS: &[Publisher] = &[
    // A backend of PostgreSQL publishes its counts once a second at most; an idle one with some left, after ten seconds
    // (PGSTAT_MIN_INTERVAL and PGSTAT_IDLE_INTERVAL in its pgstat.c). A closed one publishes as it ends, which nobody
    // waits for: a busy machine once reported 4.56 transactions a request instead of 4, with the usual settle gap.
    Publisher {
        prefix: "pg_stat_",
        quiet: Duration::from_millis(12_000),
        settle: Duration::from_millis(1_250),
        hidden: Some(Hidden {
            who: "a session that stays connected to PostgreSQL publishes its counters at most once a second, and the \
                  last ones only after ten idle seconds",
            after: Duration::from_millis(10_000),
            settle: Duration::from_millis(11_000),
        }),
    },
    // cAdvisor looks at containers once in 10 to 15 s (--housekeeping_interval; the kubelet's own), and caches that.
    Publisher { prefix: "container_", quiet: Duration::from_millis(16_500), settle: Duration::ZERO, hidden: None },
];

/// The exporter's own counters, by client libraries' prefixes: always fresh, and not what it exports.
const OWN: &[&str] = &["go_", "process_", "promhttp_", "python_", "nodejs_", "jvm_", "scrape_"];

fn publisher(family: &str) -> Option<&'static Publisher> {
    PUBLISHERS.iter().find(|publisher| family.starts_with(publisher.prefix))
}

/// Whether it concerns the exporter itself.
fn is_own(family: &str) -> bool {
    OWN.iter().any(|prefix| family.starts_with(prefix)) || family.contains("_exporter_") || family.contains("_scrape")
}

#[cfg(test)]
mod tests;

//! The principal type is [`Schedule`]: decides when to order a certificate. No clock and no I/O: times are seconds
//! since 1970.

use serde::{Deserialize, Serialize};

/// Waits after a first, second … failure. Let's Encrypt refuses a name after five failed authorizations in an hour;
/// these waits allow no more than five.
const BACKOFF: [u64; 9] = [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200];
/// Up to this share is added to a wait, so that many that failed at once do not return at once.
const SPREAD: f64 = 0.2;
/// The longest wait that an authority may ask for: Let's Encrypt counts duplicates over a week.
const LONGEST: u64 = 8 * 24 * 3600;
/// Wait after an interrupted order, for example when a new process takes over.
const AFTER_INTERRUPTION: u64 = 10;
/// Shortest and longest wait before asking for a suggestion again (RFC 9773, section 4.3.2).
const ASK_AGAIN: (u64, u64) = (60, 24 * 3600);
/// … if it did not answer.
const ASK_AFTER_FAILURE: u64 = 6 * 3600;
/// Shortest wait after a success, or a share of the remaining life that leaves time for failures: with a wrong clock,
/// or a window that is always over, orders would otherwise follow each other without pause.
const BETWEEN_SUCCESSES: u64 = 24 * 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    pub(crate) not_before: u64,
    /// The last second of validity.
    pub(crate) not_after: u64,
}

/// An authority's suggested renewal time (RFC 9773, section 4.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Suggestion {
    /// The certificate that it is for.
    pub(crate) of: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The moment drawn from the window, once for each window: clients that look often would otherwise all come at its
    /// beginning.
    pub(crate) at: u64,
}

/// The record of earlier attempts, which survives restarts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Schedule {
    #[serde(default)]
    pub(crate) failures: u32,
    /// Nothing is ordered before.
    #[serde(default)]
    pub(crate) not_until: u64,
    /// When the last order failed, and why.
    #[serde(default)]
    pub(crate) failed_at: Option<u64>,
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) suggestion: Option<Suggestion>,
    #[serde(default)]
    pub(crate) ask: u64,
    #[serde(default)]
    pub(crate) renewed_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Order,
    Ask,
    Wait(u64),
}

impl Lifetime {
    fn length(self) -> u64 {
        self.not_after.saturating_sub(self.not_before)
    }

    /// Renewal time without a suggestion: two thirds of its life, spread somewhat by the certificate's number.
    fn two_thirds(self, spread: u64) -> u64 {
        let window = self.length() / 30;
        self.not_before + self.length() * 2 / 3 + if window == 0 { 0 } else { spread % window }
    }

    /// Shortest wait after a success, however soon the authority wants the next.
    fn pause(self) -> u64 {
        (self.length() / 10).min(BETWEEN_SUCCESSES)
    }

    /// Latest renewal, whatever the authority suggests: it leaves time for failures.
    fn latest(self) -> u64 {
        self.not_before + self.length() / 10 * 9
    }
}

impl Schedule {
    /// The step that is due. `have`: the existing certificate that covers all names, with its identifier and number.
    pub(crate) fn step(&self, now: u64, have: Option<(Lifetime, &str, u64)>) -> Step {
        let due = match have {
            None => 0,
            Some((lifetime, id, spread)) => {
                let usual = lifetime.two_thirds(spread);
                let suggested = self.suggestion.as_ref().filter(|suggestion| suggestion.of == id);
                let due = suggested.map_or(usual, |suggestion| suggestion.at.min(lifetime.latest()));
                // A time in the future stems from a wrong clock.
                let renewed_at = self.renewed_at.filter(|at| *at <= now);
                let due = due.max(renewed_at.map_or(0, |at| at + lifetime.pause()));
                // The authority may suggest an earlier time.
                let ask = self.ask.max(self.not_until);
                if now < due && ask <= now {
                    return Step::Ask;
                }
                if now < due && ask < due {
                    return Step::Wait(ask);
                }
                due
            }
        };
        match due.max(self.not_until) {
            at if at <= now => Step::Order,
            at => Step::Wait(at),
        }
    }

    /// Call before an order: if this process keeps dying meanwhile, it does not retry at once each time.
    pub(crate) fn begin(&mut self, now: u64, draw: f64) {
        self.not_until = now + wait(self.failures, draw);
    }

    /// Records an order that was given up without a failure.
    pub(crate) fn interrupted(&mut self, now: u64) {
        self.not_until = now + AFTER_INTERRUPTION;
    }

    /// Records a failure; the authority may have said when to retry.
    pub(crate) fn failed(&mut self, now: u64, error: String, retry_after: Option<u64>, draw: f64) {
        let asked = retry_after.map_or(0, |at| at.saturating_sub(now).min(LONGEST));
        self.not_until = now + wait(self.failures, draw).max(asked);
        self.failures = self.failures.saturating_add(1);
        self.failed_at = Some(now);
        self.error = Some(error);
    }

    /// Records a new certificate: the authority is asked about it soon.
    pub(crate) fn succeeded(&mut self, now: u64) {
        *self = Self { renewed_at: Some(now), ..Self::default() };
    }

    /// Records the authority's window for this certificate, and after how many seconds to ask again.
    pub(crate) fn suggested(&mut self, now: u64, of: &str, (start, end): (u64, u64), again: u64, draw: f64) {
        self.ask = now + again.clamp(ASK_AGAIN.0, ASK_AGAIN.1);
        if end <= start {
            // RFC 9773, section 4.2: such a window counts as none.
            self.suggestion = None;
            return;
        }
        let is_same = |old: &Suggestion| old.of == of && (old.start, old.end) == (start, end);
        if !self.suggestion.as_ref().is_some_and(is_same) {
            let at = start + ((end - start) as f64 * draw.clamp(0.0, 1.0)) as u64;
            self.suggestion = Some(Suggestion { of: of.to_owned(), start, end, at });
        }
    }

    /// Records that there is no suggestion, or no answer. An earlier one stays.
    pub(crate) fn not_suggested(&mut self, now: u64, is_offered: bool) {
        self.ask = now + if is_offered { ASK_AFTER_FAILURE } else { ASK_AGAIN.1 };
    }

    /// Whether a stored value is credible: a distant time would stop renewals for good.
    pub(crate) fn is_plausible(&self, now: u64) -> bool {
        self.not_until <= now + LONGEST && self.ask <= now + LONGEST
    }
}

/// Seconds to wait after this many failures; `draw` is between 0 and 1.
fn wait(failures: u32, draw: f64) -> u64 {
    let wait = BACKOFF.get(failures as usize).or(BACKOFF.last()).copied().unwrap_or(LONGEST);
    wait + (wait as f64 * SPREAD * draw.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests;

//! The principal type is [`Breaker`]: answers for a failing upstream, before it is asked.
//!
//! Closed, every request passes and its outcome is counted over a sliding window. At too large a share of failures, it
//! opens: requests are refused at once, for a time that is jittered so that several proxies do not return together.
//! Then a few trials may pass: enough consecutive successes close it; one failure opens it again, for twice as long, up
//! to eight times.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::settings::BreakerSettings;
use crate::window::Window;

/// Maximum factor by which failed trials lengthen the open time.
const MAX_GROWTH: u32 = 8;
/// Share by which the open time varies.
const JITTER: f64 = 0.1;
/// Wait told to requests while all trials are under way, or the setting if that is less.
const TRIAL_WAIT: Duration = Duration::from_secs(1);

/// Circuit breaker of an upstream, shared by all threads.
///
/// Times are milliseconds of the upstream's own clock. Closed, admitting is one atomic load, and a success one load and
/// one addition.
#[derive(Debug)]
pub struct Breaker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: BreakerSettings,
    window: Window,
    /// When trials may begin; 0 if closed, when the lock need not be taken.
    gate: AtomicU64,
    opened: AtomicU64,
    slow: Mutex<Slow>,
}

#[derive(Debug, Default)]
struct Slow {
    state: BreakerState,
    /// Times it opened since it was last closed.
    openings: u32,
    /// Number of trial rounds, so that a trial of an earlier round decides nothing.
    round: u64,
    trials: u32,
    successes: u32,
}

/// State of a breaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum BreakerState {
    #[default]
    Closed,
    Open,
    HalfOpen,
}

/// An admitted request. Dropped without a report, it says nothing about the upstream, and makes room for another trial.
#[derive(Debug)]
#[must_use = "its outcome is to be reported"]
pub struct Pass(Option<Trial>);

#[derive(Debug)]
struct Trial {
    of: Arc<Shared>,
    round: u64,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(settings: BreakerSettings) -> Self {
        let window = Window::new(settings.window);
        let slow = Mutex::default();
        Self(Arc::new(Shared { settings, window, gate: AtomicU64::new(0), opened: AtomicU64::new(0), slow }))
    }

    /// Admits a request, or returns the time after which a retry may succeed.
    pub fn admit(&self, now_ms: u64) -> Result<Pass, Duration> {
        match self.0.gate.load(Ordering::Acquire) {
            0 => Ok(Pass(None)),
            gate if now_ms < gate => Err(Duration::from_millis(gate - now_ms)),
            _ => self.admit_trial(now_ms),
        }
    }

    #[cold]
    fn admit_trial(&self, now_ms: u64) -> Result<Pass, Duration> {
        let mut slow = self.0.lock();
        match slow.state {
            // Another thread was quicker.
            BreakerState::Closed => return Ok(Pass(None)),
            BreakerState::Open => {
                let gate = self.0.gate.load(Ordering::Relaxed);
                if now_ms < gate {
                    return Err(Duration::from_millis(gate - now_ms));
                }
                slow.state = BreakerState::HalfOpen;
                slow.round += 1;
                slow.trials = 0;
                slow.successes = 0;
            }
            BreakerState::HalfOpen => {}
        }
        if slow.trials >= self.0.settings.trials.max(1) {
            return Err(TRIAL_WAIT.min(self.0.settings.open));
        }
        slow.trials += 1;
        Ok(Pass(Some(Trial { of: self.0.clone(), round: slow.round })))
    }

    /// Reports how an admitted request ended.
    pub fn report(&self, mut pass: Pass, ok: bool, now_ms: u64) {
        match pass.0.take() {
            Some(trial) => self.report_trial(&trial, ok, now_ms),
            None if ok => self.0.window.good(now_ms),
            None => self.report_failure(now_ms),
        }
    }

    #[cold]
    fn report_trial(&self, trial: &Trial, ok: bool, now_ms: u64) {
        let mut slow = self.0.lock();
        if slow.round != trial.round || slow.state != BreakerState::HalfOpen {
            return;
        }
        slow.trials = slow.trials.saturating_sub(1);
        if !ok {
            self.0.open(&mut slow, now_ms);
            return;
        }
        slow.successes += 1;
        if slow.successes >= self.0.settings.trials.max(1) {
            // Counts from before it opened are void.
            self.0.window.clear();
            slow.state = BreakerState::Closed;
            slow.openings = 0;
            self.0.gate.store(0, Ordering::Release);
        }
    }

    #[cold]
    fn report_failure(&self, now_ms: u64) {
        self.0.window.bad(now_ms);
        if self.0.gate.load(Ordering::Relaxed) != 0 || !self.0.is_too_much(now_ms) {
            return;
        }
        let mut slow = self.0.lock();
        // Checked again under the lock: it may have opened, tried and closed since, with a new window.
        if slow.state == BreakerState::Closed && self.0.is_too_much(now_ms) {
            self.0.open(&mut slow, now_ms);
        }
    }

    /// Current state. An open one whose time is over counts as open until a request comes.
    pub fn state(&self) -> BreakerState {
        if self.0.gate.load(Ordering::Acquire) == 0 { BreakerState::Closed } else { self.0.lock().state }
    }

    /// Number of times it opened, again after trials included.
    pub fn opened(&self) -> u64 {
        self.0.opened.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slow> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_too_much(&self, now_ms: u64) -> bool {
        let counts = self.window.counts(now_ms);
        let all = counts.good + counts.bad;
        counts.bad > 0
            && all >= u64::from(self.settings.requests)
            && counts.bad as f64 >= self.settings.failures * all as f64
    }

    fn open(&self, slow: &mut Slow, now_ms: u64) {
        let growth = 1_u32.checked_shl(slow.openings).unwrap_or(MAX_GROWTH).min(MAX_GROWTH);
        let jitter = 1.0 + JITTER * (2.0 * fastrand::f64() - 1.0);
        let open_ms = self.settings.open.as_millis() as f64 * f64::from(growth) * jitter;
        slow.state = BreakerState::Open;
        slow.openings = slow.openings.saturating_add(1);
        self.opened.fetch_add(1, Ordering::Relaxed);
        // Never 0, which means closed. A float too large becomes the largest integer.
        self.gate.store(now_ms.saturating_add(open_ms as u64).max(1), Ordering::Release);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(trial) = self.0.take() {
            let mut slow = trial.of.lock();
            if slow.round == trial.round {
                slow.trials = slow.trials.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests;

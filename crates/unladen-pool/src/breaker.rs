//! The principal type is [`Breaker`]: answers for an upstream that fails, before it is asked.
//!
//! Closed, every request passes and its outcome is counted over a sliding window. Where too large a share failed, it
//! opens: requests are turned away at once, for a time that is jittered so that several proxies do not all come back
//! together. Then a few trials may pass: as many successes in a row close it; one failure opens it again, for twice as
//! long, up to eight times.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::settings::BreakerSettings;
use crate::window::Window;

/// Failed trials make it stay open for longer, up to so many times the setting.
const MAX_GROWTH: u32 = 8;
/// The time it stays open is up to this share longer or shorter.
const JITTER: f64 = 0.1;
/// Who comes while all trials are under way is told to come back after this long, or after the setting if that is less.
const TRIAL_WAIT: Duration = Duration::from_secs(1);

/// Lets requests to an upstream pass, or not. Shared by all threads.
///
/// Times are milliseconds of the upstream's own clock. Closed, admitting is one atomic load, and a success one load and
/// one addition.
#[derive(Debug)]
pub struct Breaker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: BreakerSettings,
    window: Window,
    /// When trials may begin; 0: closed, and the lock need not be taken.
    gate: AtomicU64,
    /// How often it opened.
    opened: AtomicU64,
    slow: Mutex<Slow>,
}

/// What is known besides while it is not closed.
#[derive(Debug, Default)]
struct Slow {
    state: BreakerState,
    /// How often it opened since it was last closed.
    openings: u32,
    /// Counts the times it began to try, so that a trial of an earlier time decides nothing.
    round: u64,
    trials: u32,
    successes: u32,
}

/// Whether requests pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BreakerState {
    /// All pass.
    #[default]
    Closed,
    /// None passes.
    Open,
    /// A few pass, and decide.
    HalfOpen,
}

/// A request that was let pass. Dropped without a report, it says nothing about the upstream, and makes room for
/// another trial.
#[derive(Debug)]
#[must_use = "its outcome is to be reported"]
pub struct Pass(Option<Trial>);

#[derive(Debug)]
struct Trial {
    of: Arc<Shared>,
    round: u64,
}

impl Breaker {
    /// Closed.
    pub fn new(settings: BreakerSettings) -> Self {
        let window = Window::new(settings.window);
        let slow = Mutex::default();
        Self(Arc::new(Shared { settings, window, gate: AtomicU64::new(0), opened: AtomicU64::new(0), slow }))
    }

    /// Lets a request pass, or says after how long asking again may be worth it.
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

    /// Says how a request that passed ended.
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
            // What was counted before it opened is over.
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
        // Looked at again under the lock: it may have opened, tried and closed since, and then its window is a new one.
        if slow.state == BreakerState::Closed && self.0.is_too_much(now_ms) {
            self.0.open(&mut slow, now_ms);
        }
    }

    /// Whether requests pass. An open one whose time is over is open until a request comes to try.
    pub fn state(&self) -> BreakerState {
        if self.0.gate.load(Ordering::Acquire) == 0 { BreakerState::Closed } else { self.0.lock().state }
    }

    /// How often it opened, again after trials included.
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
        // Never 0, which is closed. A float too large becomes the largest integer.
        self.gate.store(now_ms.saturating_add(open_ms as u64).max(1), Ordering::Release);
    }
}

impl BreakerState {
    /// For logs, metrics and reason headers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
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

//! The principal type is [`Pacer`]: it brings the client to each planned time, a few microseconds late at most.
//!
//! The runtime's timer counts milliseconds, and a thread that slept needs tens of microseconds to run again. So a
//! separate thread sleeps until shortly before each planned time, by the absolute clock, and wakes the client; the
//! client spins through the rest and serves its connections meanwhile. This hides wake-up times up to [`LEAD`]. If
//! requests follow each other within [`DENSE`], the client never sleeps and the thread is unused.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::prctl;
use nix::time::{ClockId, clock_gettime};
use tokio::sync::Notify;

use crate::urgent::Urgent;

/// Maximum lead of the wake-up: more than waking takes in 99 of 100 cases on two busy cores.
const LEAD: Duration = Duration::from_micros(100);

/// At high rates the wake-up is later, so that the client spins through only this part of its time: spinning takes a
/// core from the server, and from the kernel's allowance for real-time threads (95 % of a second, after which they
/// pause).
const LEAD_SHARE: u32 = 2;

/// Longest gap between planned times that is spun through entirely: the waking thread would hardly have slept.
pub(crate) const DENSE: Duration = Duration::from_micros(40);

/// An idle turn through the event loop takes less than this; its time counts as pacing.
const IDLE_TURN: Duration = Duration::from_micros(5);

pub(crate) struct Pacer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Duration>>,
    /// Time left to spin when the client is woken, or when the next turn is too near for that.
    spin: Duration,
    spun: Cell<Duration>,
}

struct Shared {
    stop: AtomicBool,
    wake: Notify,
}

// === impl Pacer ===

impl Pacer {
    /// Starts the thread, which ends after the last of the times, or at `until`. `gap` is the shortest time between two
    /// planned ones; the mean if they are random.
    pub(crate) fn start(
        start: Instant,
        times: impl Iterator<Item = Duration> + Send + 'static,
        until: Instant,
        gap: Duration,
    ) -> io::Result<Self> {
        let lead = LEAD.min(gap / LEAD_SHARE);
        let shared = Arc::new(Shared { stop: AtomicBool::new(false), wake: Notify::new() });
        let thread = thread::Builder::new().name("unladen-pacer".into()).spawn({
            let shared = shared.clone();
            move || {
                shared.wake_at(start, times, until, lead);
                cpu_of_this_thread()
            }
        })?;
        Ok(Self { shared, thread: Some(thread), spin: lead.max(DENSE), spun: Cell::default() })
    }

    pub(crate) async fn wait(&self, planned: Instant) {
        loop {
            let mut now = Instant::now();
            let left = planned.saturating_duration_since(now);
            if left > self.spin {
                // A wake-up of an earlier turn may be left over; it costs one more check.
                self.shared.wake.notified().await;
                continue;
            }
            while now < planned {
                tokio::task::yield_now().await;
                let then = Instant::now();
                if then - now < IDLE_TURN {
                    self.spun.update(|spun| spun + (then - now));
                }
                now = then;
            }
            return;
        }
    }

    pub(crate) fn spun(&self) -> Duration {
        self.spun.get()
    }

    pub(crate) fn stop(mut self) -> Duration {
        self.end()
    }

    fn end(&mut self) -> Duration {
        self.shared.stop.store(true, Relaxed);
        let Some(thread) = self.thread.take() else { return Duration::ZERO };
        thread.thread().unpark();
        thread.join().unwrap_or_default()
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn wake_at(&self, start: Instant, times: impl Iterator<Item = Duration>, until: Instant, lead: Duration) {
        let _urgent = Urgent::begin();
        // By default threads are woken up to 50 µs late, to batch wake-ups. If that cannot be changed, the lag shows
        // it.
        let _ = prctl::set_timerslack(1);
        let mut last = None;
        for time in times {
            let dense = last.is_some_and(|last| time.saturating_sub(last) <= DENSE);
            last = Some(time);
            if dense {
                if self.stop.load(Relaxed) {
                    return;
                }
                continue;
            }
            let Some(planned) = start.checked_add(time) else { return };
            if planned >= until {
                return;
            }
            let wake = planned.checked_sub(lead).unwrap_or(planned);
            loop {
                if self.stop.load(Relaxed) {
                    return;
                }
                let left = wake.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                // On Linux this becomes an absolute time.
                thread::park_timeout(left);
            }
            self.wake.notify_one();
        }
    }
}

/// CPU time of the calling thread; zero if the system does not tell.
pub(crate) fn cpu_of_this_thread() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// CPU time of this process; zero if the system does not tell.
pub(crate) fn cpu_of_this_process() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

#[cfg(test)]
mod tests;

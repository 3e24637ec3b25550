//! The principal type is [`Disturbance`]: what the machine does besides.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::random::exponential;
use crate::real::burn;

/// Mean of the stretches, s, and what they are cut to.
const STRETCH: f64 = 1.2;
const SHORTEST: f64 = 0.2;
const LONGEST: f64 = 5.0;
/// Others' requests a second during a stretch.
const OTHERS_RATE: f64 = 10.0;

/// What kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// Nothing that we know of.
    Nothing,
    /// Half of the processors are taken during random stretches, half of the time.
    HalfTheProcessors,
    /// All of them are, so half of the machine on average.
    AllProcessors,
    /// Other clients ask the very server that is weighed, ten times a second during random stretches.
    OtherClients,
}

/// It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Disturbance {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Disturbance {
    pub(super) fn start(beside: Neighbour, seed: u64, subject: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let processors = thread::available_parallelism().map_or(1, Into::into);
        let count = match beside {
            Neighbour::Nothing => 0,
            Neighbour::HalfTheProcessors => (processors / 2).max(1),
            Neighbour::AllProcessors => processors,
            Neighbour::OtherClients => 1,
        };
        let threads = (0..count)
            .map(|_| {
                let stop = Arc::clone(&stop);
                // The same seed: all in the same stretches.
                thread::spawn(move || stretches(seed, &stop, beside, subject))
            })
            .collect();
        Self { stop, threads }
    }
}

impl Drop for Disturbance {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn stretches(seed: u64, stop: &AtomicBool, beside: Neighbour, subject: SocketAddr) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut busy = rng.bool();
    let mut end = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        end += Duration::from_secs_f64(exponential(&mut rng, STRETCH).clamp(SHORTEST, LONGEST));
        busy = !busy;
        let mut next = Instant::now();
        while Instant::now() < end && !stop.load(Ordering::Relaxed) {
            if !busy {
                thread::sleep(Duration::from_millis(2));
            } else if beside == Neighbour::OtherClients {
                // On a schedule of their own: they do not wait for our requests to let them through.
                if Instant::now() >= next {
                    next += Duration::from_secs_f64(1.0 / OTHERS_RATE);
                    let _ = burn::get(subject, "/");
                } else {
                    thread::sleep(Duration::from_millis(2));
                }
            } else {
                (0..10_000).for_each(|_| std::hint::spin_loop());
            }
        }
    }
}

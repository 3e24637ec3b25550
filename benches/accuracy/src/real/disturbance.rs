//! The principal type is [`Disturbance`]: what the machine does besides.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::burn::{self, Victim};
use super::cgroup::{Limiter, Quota};
use super::error::RealError;
use crate::random::exponential;

/// Mean of the stretches, s, and what they are cut to.
const STRETCH: f64 = 1.2;
const SHORTEST: f64 = 0.2;
const LONGEST: f64 = 5.0;
/// Others' requests a second during a stretch.
const OTHERS_RATE: f64 = 10.0;

/// What a quota leaves of one processor.
const LEFT: f64 = 0.5;
/// More than the caches of a processor hold, in numbers of eight bytes, and how many of them a line of a cache holds.
const LARGE: usize = 8 << 20;
const LINE: usize = 8;

/// What kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// Nothing that we know of.
    Nothing,
    /// Half of the processors are taken during random stretches, half of the time.
    HalfTheProcessors,
    /// All of them are, so half of the machine on average.
    AllProcessors,
    /// Memory larger than the caches is written over and over, on one processor, during random stretches.
    Caches,
    /// A quota leaves the server half of a processor during random stretches.
    Quota,
    /// Other clients ask the very server that is weighed, ten times a second during random stretches.
    OtherClients,
}

/// It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Disturbance {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Goes after what sets it has ended.
    _quota: Option<Quota>,
}

impl Disturbance {
    pub(super) fn start(beside: Neighbour, seed: u64, subject: &Victim) -> Result<Self, RealError> {
        let stop = Arc::new(AtomicBool::new(false));
        let processors = thread::available_parallelism().map_or(1, Into::into);
        let count = match beside {
            Neighbour::Nothing => 0,
            Neighbour::HalfTheProcessors => (processors / 2).max(1),
            Neighbour::AllProcessors => processors,
            Neighbour::Caches | Neighbour::Quota | Neighbour::OtherClients => 1,
        };
        let quota = (beside == Neighbour::Quota).then(Quota::create).transpose()?;
        if let Some(quota) = &quota {
            for pid in &subject.pids {
                quota.take(*pid)?;
            }
        }
        let threads = (0..count)
            .map(|_| {
                let stop = Arc::clone(&stop);
                let does = match (beside, &quota) {
                    (_, Some(quota)) => Does::Limit(quota.limiter()),
                    (Neighbour::OtherClients, _) => Does::Ask(subject.address),
                    (Neighbour::Caches, _) => Does::Write(vec![0; LARGE]),
                    _ => Does::Spin,
                };
                // The same seed: all in the same stretches.
                thread::spawn(move || stretches(seed, &stop, does))
            })
            .collect();
        Ok(Self { stop, threads, _quota: quota })
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

/// What a thread does during a stretch.
#[derive(Debug)]
enum Does {
    Spin,
    /// Through all of this.
    Write(Vec<u64>),
    Ask(SocketAddr),
    Limit(Limiter),
}

fn stretches(seed: u64, stop: &AtomicBool, mut does: Does) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut busy = rng.bool();
    let mut end = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        end += Duration::from_secs_f64(exponential(&mut rng, STRETCH).clamp(SHORTEST, LONGEST));
        busy = !busy;
        if let Does::Limit(limiter) = &does {
            // It could be set when the group was made.
            let _ = limiter.set(busy.then_some(LEFT));
        }
        let mut next = Instant::now();
        while Instant::now() < end && !stop.load(Ordering::Relaxed) {
            match &mut does {
                Does::Spin if busy => (0..10_000).for_each(|_| std::hint::spin_loop()),
                Does::Write(numbers) if busy => {
                    numbers.iter_mut().step_by(LINE).for_each(|number| *number = number.wrapping_add(1));
                }
                // On a schedule of their own: they do not wait for our requests to let them through.
                Does::Ask(address) if busy && Instant::now() >= next => {
                    next += Duration::from_secs_f64(1.0 / OTHERS_RATE);
                    let _ = burn::get(*address, "/");
                }
                _ => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

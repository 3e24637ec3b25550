//! The principal type is [`ReferenceWork`].

use std::hint::black_box;
use std::time::Instant;

use fastrand::Rng;
use nix::time::{ClockId, clock_gettime};

use crate::reference::arithmetic::Arithmetic;
use crate::reference::error::ReferenceError;
use crate::reference::kind::ReferenceKind;
use crate::reference::memory::Memory;
use crate::reference::mix::mix;
use crate::reference::sample::ReferenceSample;
use crate::reference::system_calls::SystemCalls;

/// The pieces, ready to run; their buffers have some 8 MiB.
///
/// ```
/// use unladen_machine::ReferenceWork;
///
/// let mut work = ReferenceWork::new(1)?;
/// let mut kinds: Vec<&str> = Vec::new();
/// for _ in 0..3 {
///     let sample = work.run_one()?;
///     println!("{}: {} ns", sample.kind, sample.cpu_ns);
///     kinds.push(sample.kind.as_str());
/// }
/// kinds.sort();
/// assert_eq!(kinds, ["arithmetic", "memory", "syscalls"]);
/// # Ok::<(), unladen_machine::ReferenceError>(())
/// ```
#[derive(Debug)]
pub struct ReferenceWork {
    rng: Rng,
    /// Kinds still to run before any repeats.
    deck: Vec<ReferenceKind>,
    arithmetic: Arithmetic,
    memory: Memory,
    system_calls: SystemCalls,
}

impl ReferenceWork {
    /// Makes the buffers, and runs one uncounted piece of each kind to fill pages and caches. The seed decides only the
    /// order of the kinds. Fails if the kernel gives no pipe or no clock.
    pub fn new(seed: u64) -> Result<Self, ReferenceError> {
        let mut work = Self {
            rng: generator(seed),
            deck: Vec::new(),
            arithmetic: Arithmetic::new(),
            memory: Memory::new(),
            system_calls: SystemCalls::new()?,
        };
        for kind in ReferenceKind::ALL {
            work.run(kind)?;
        }
        Ok(work)
    }

    /// Runs one piece of a random kind, each once before any repeats. Fails if the kernel does not cooperate.
    pub fn run_one(&mut self) -> Result<ReferenceSample, ReferenceError> {
        if self.deck.is_empty() {
            self.deck = deal(&mut self.rng);
        }
        let kind = self.deck.pop().unwrap_or(ReferenceKind::Arithmetic);
        self.run(kind)
    }

    /// Runs one piece of this kind. Fails as [`ReferenceWork::run_one`] does.
    pub fn run(&mut self, kind: ReferenceKind) -> Result<ReferenceSample, ReferenceError> {
        let begun = Instant::now();
        let before = thread_ns()?;
        let result = match kind {
            ReferenceKind::Arithmetic => self.arithmetic.run(),
            ReferenceKind::Memory => self.memory.run(),
            ReferenceKind::SystemCalls => self.system_calls.run()?,
        };
        black_box(result);
        let cpu_ns = thread_ns()?.saturating_sub(before);
        let wall_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Ok(ReferenceSample { kind, cpu_ns, wall_ns })
    }

    /// A number from 0 to 1, from the same generator as the order.
    pub(crate) fn random(&mut self) -> f64 {
        self.rng.f64()
    }
}

/// The run's seed also orders its phases: this generator must be independent of that.
fn generator(seed: u64) -> Rng {
    Rng::with_seed(mix(mix(seed)))
}

fn deal(rng: &mut Rng) -> Vec<ReferenceKind> {
    let mut deck = ReferenceKind::ALL.to_vec();
    rng.shuffle(&mut deck);
    deck
}

/// CPU time of this thread, in ns.
fn thread_ns() -> Result<u64, ReferenceError> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_err(|source| ReferenceError::Clock { source })?;
    let (seconds, nanoseconds) = (time.tv_sec().unsigned_abs(), time.tv_nsec().unsigned_abs());
    Ok(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}

#[cfg(test)]
mod tests;

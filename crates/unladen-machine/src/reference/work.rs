//! The principal type is [`ReferenceWork`]: the pieces of work, one of each kind.

use std::hint::black_box;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fastrand::Rng;
use nix::errno::Errno;
use nix::sys::prctl::{get_thp_disable, set_thp_disable};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::getppid;
use thiserror::Error;

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
///     kinds.push(sample.kind.into_str());
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

/// What a piece of reference work exercises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ReferenceKind {
    /// The processor alone: integers, and a table that fits into its first cache.
    Arithmetic,
    /// The shared caches, and the memory.
    Memory,
    /// The way into the kernel and back, and a little of its work.
    #[strum(serialize = "syscalls")]
    SystemCalls,
}

// === impl ReferenceKind ===

impl ReferenceKind {
    /// All kinds, in the order of results.
    pub const ALL: [Self; 3] = [Self::Arithmetic, Self::Memory, Self::SystemCalls];
}

/// Why a piece of reference work cannot be done. The measurement itself does not need it.
#[derive(Debug, Error)]
pub enum ReferenceError {
    /// The kernel gives no pipe, or the pipe does not carry bytes.
    #[error("reference work needs a pipe: {source}; `ulimit -n` shows how many files may be open")]
    Pipe { source: io::Error },
    /// The kernel does not give the thread's CPU time.
    #[error("reference work needs the clock CLOCK_THREAD_CPUTIME_ID: {source}")]
    Clock { source: Errno },
}

/// How long one piece took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceSample {
    pub kind: ReferenceKind,
    /// In ns, by the clock of weights. Includes time that a hypervisor took only if the kernel does not know of it.
    pub cpu_ns: u64,
    /// Elapsed time, in ns, including waits for a processor.
    pub wall_ns: u64,
}

/// The odd number nearest to 2⁶⁴ divided by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64's output function (Steele, Lea and Flood 2014, *OOPSLA*, figure 17): a one-to-one map of all numbers.
/// Written out here, as a library's generator may change: the work has to be the same in every version.
pub(crate) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A fixed order of `0..count`: Fisher and Yates's shuffle by [`mix`].
pub(crate) fn order(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = (mix(seed.wrapping_add(last as u64)) % (last as u64 + 1)) as usize;
        order.swap(last, other);
    }
    order
}

/// 8 KiB: fits into the first cache of every processor, beside other data.
const TABLE: usize = 1024;
/// One chain waits for its own results most of the time, and hardly notices another thread on its core. Four fill a
/// core about as well as ordinary programs do.
const CHAINS: usize = 4;
/// About a millisecond at 3 GHz.
const ARITHMETIC_STEPS: u32 = 240_000;

/// Chains of multiplications with dependent table look-ups: no compiler can drop, reorder or vectorise steps.
#[derive(Debug)]
pub(crate) struct Arithmetic {
    table: Box<[u64; TABLE]>,
}

impl Arithmetic {
    pub(crate) fn new() -> Self {
        let mut table = Box::new([0; TABLE]);
        table.iter_mut().zip(0..).for_each(|(entry, number)| *entry = mix(number));
        Self { table }
    }

    /// Runs one piece; the result is always the same.
    pub(crate) fn run(&self) -> u64 {
        chains(black_box(&self.table), black_box(ARITHMETIC_STEPS))
    }
}

#[inline(never)]
fn chains(table: &[u64; TABLE], steps: u32) -> u64 {
    let mut chains: [u64; CHAINS] = [1, 2, 3, 4];
    for _ in 0..steps {
        for chain in &mut chains {
            // The uppermost ten bits are an index.
            let entry = table[(*chain >> 54) as usize];
            *chain = (*chain ^ entry).wrapping_mul(GOLDEN);
            *chain ^= *chain >> 32;
        }
    }
    chains.into_iter().fold(0, |all, chain| all.rotate_left(16) ^ chain)
}

/// Words of a cache line, 64 bytes.
const LINE: usize = 8;
/// Lines of a page, 4 KiB.
const PAGE: usize = 64;
/// Pages of each half, 4 MiB: twice the second cache of today's server processors.
const PAGES: usize = 1024;
const HALF: usize = PAGES * PAGE * LINE;
/// About a millisecond with the streaming. Lines repeat in the sixth piece: by then the streaming has displaced them.
const MEMORY_STEPS: u32 = 12_288;

/// Streams through one half of a buffer, page after page in random order, and walks from line to line in the other.
///
/// Whether the kernel gives huge pages depends on how many are left. With them a piece would take 8 % less in memory
/// order; so they are switched off, and pages follow each other at random, which leaves 4 % of that if the kernel
/// merges pages afterwards. The walk visits all lines of a page, unpredictably, before it goes to another page.
#[derive(Debug)]
pub(crate) struct Memory {
    buffer: Box<[u64]>,
    pages: Vec<usize>,
    at: usize,
}

impl Memory {
    pub(crate) fn new() -> Self {
        let mut buffer = without_huge_pages(|| {
            let mut buffer: Vec<u64> = Vec::with_capacity(2 * HALF);
            buffer.extend((0..HALF as u64).map(mix));
            buffer.resize(2 * HALF, 0);
            buffer
        });
        let walk: Vec<usize> = order(PAGES, 0)
            .into_iter()
            .flat_map(|page| order(PAGE, (page as u64 + 1) << 32).into_iter().map(move |line| page * PAGE + line))
            .map(|line| HALF + line * LINE)
            .collect();
        for (here, next) in walk.iter().zip(walk.iter().cycle().skip(1)) {
            buffer[*here] = *next as u64;
        }
        Self { buffer: buffer.into_boxed_slice(), pages: order(PAGES, u64::MAX / 2), at: walk[0] }
    }

    /// Runs one piece; the results of the first, the second and so on are always the same.
    pub(crate) fn run(&mut self) -> u64 {
        let (streamed, _) = self.buffer.split_at(HALF);
        let sum = stream(black_box(streamed), &self.pages);
        self.at = walk(black_box(&self.buffer), self.at, black_box(MEMORY_STEPS));
        sum ^ self.at as u64
    }
}

/// One word of each line is enough to fetch it.
#[inline(never)]
fn stream(words: &[u64], pages: &[usize]) -> u64 {
    let of_page = |page: &usize| words.get(page * PAGE * LINE..(page + 1) * PAGE * LINE).unwrap_or_default();
    let lines = pages.iter().flat_map(|page| of_page(page).iter().step_by(LINE));
    lines.fold(0, |sum: u64, word| sum.wrapping_add(*word))
}

/// The kernel's setting is the whole process's.
static SETTING: Mutex<()> = Mutex::new(());

/// Makes a buffer in small pages; the process's former setting is restored, also for programs that it starts.
fn without_huge_pages(make: impl FnOnce() -> Vec<u64>) -> Vec<u64> {
    let _held = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let had_them = get_thp_disable() == Ok(false);
    // A kernel without huge pages refuses, and gives none.
    let is_set = had_them && set_thp_disable(true).is_ok();
    let buffer = make();
    if is_set {
        let _ = set_thp_disable(false);
    }
    buffer
}

#[inline(never)]
fn walk(buffer: &[u64], from: usize, steps: u32) -> usize {
    (0..steps).fold(from, |at, _| buffer.get(at).map_or(0, |next| *next as usize))
}

/// Calls that do next to nothing in the kernel.
const EMPTY: u32 = 4_000;
/// Pairs of calls that copy bytes into the kernel and out again; all in all about a millisecond.
const PAIRS: u32 = 1_200;
/// About the head of a request.
const BYTES: usize = 512;

/// Calls that need only the kernel: no file, no other process, no disk.
#[derive(Debug)]
pub(crate) struct SystemCalls {
    reader: PipeReader,
    writer: PipeWriter,
}

impl SystemCalls {
    pub(crate) fn new() -> Result<Self, ReferenceError> {
        let (reader, writer) = pipe().map_err(|source| ReferenceError::Pipe { source })?;
        Ok(Self { reader, writer })
    }

    /// Runs one piece; returns the number of calls.
    pub(crate) fn run(&mut self) -> Result<u64, ReferenceError> {
        let mut bytes = [0x2A; BYTES];
        for _ in 0..EMPTY {
            black_box(getppid());
        }
        // A pipe holds more than is written: nothing blocks.
        for _ in 0..PAIRS {
            let written = self.writer.write_all(black_box(&bytes));
            let copied = written.and_then(|()| self.reader.read_exact(black_box(&mut bytes)));
            copied.map_err(|source| ReferenceError::Pipe { source })?;
        }
        Ok(u64::from(EMPTY) + 2 * u64::from(PAIRS))
    }
}

#[cfg(test)]
mod tests;

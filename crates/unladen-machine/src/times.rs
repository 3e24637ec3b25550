//! The time of the machine's processors, and who took how much of it.

mod control_group;

pub use control_group::{ControlGroupMount, control_group_mounts, throttled_ns};

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::root::decimal;
use control_group::own_files;

/// /proc/stat grows by some 12 KiB per hundred processors, and by its interrupts; no file that is read here is longer.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A folder with `stat` and `pressure` in place of /proc. Only for tests, which need steal that no machine gives.
const PROC_VARIABLE: &str = "UNLADEN_MACHINE_PROC";

/// Where the kernel's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub proc: PathBuf,
    pub sys: PathBuf,
}

/// Reads the machine's times, in some tens of microseconds. What this kernel does not provide is left out of the
/// reading.
#[derive(Debug)]
pub struct MachineClock {
    proc: PathBuf,
    throttling: Throttling,
    frequencies: Vec<PathBuf>,
    buffer: Vec<u8>,
}

/// A clock's reading at one moment.
#[derive(Debug, Clone)]
pub struct MachineReading {
    at: Instant,
    processors: Option<ProcessorTimes>,
    waited_ns: Option<u64>,
    throttled: Throttled,
    frequency_hz: Option<u64>,
}

impl Default for Places {
    fn default() -> Self {
        let proc = std::env::var_os(PROC_VARIABLE).map_or_else(|| "/proc".into(), PathBuf::from);
        Self { proc, sys: "/sys".into() }
    }
}

impl MachineClock {
    /// The clock of this machine.
    pub fn open() -> Self {
        Self::open_at(&Places::default())
    }

    /// The clock of a machine with files elsewhere.
    pub fn open_at(places: &Places) -> Self {
        let Places { proc, sys } = places;
        Self {
            proc: proc.clone(),
            throttling: Throttling::of_self(proc),
            frequencies: frequency_files(sys),
            buffer: Vec::new(),
        }
    }

    /// Reads. Processors: /proc/stat; waiting: /proc/pressure/cpu; throttling: `cpu.stat` of this process's control
    /// group and of those above it; frequency: cpufreq below /sys.
    pub fn read(&mut self) -> MachineReading {
        let at = Instant::now();
        let (stat, pressure) = (self.proc.join("stat"), self.proc.join("pressure/cpu"));
        let processors = self.content(&stat).and_then(ProcessorTimes::parse);
        let waited_ns = self.content(&pressure).and_then(some_pressure_ns);
        let throttled = self.throttling.read();
        let contents: Vec<Vec<u8>> = std::mem::take(&mut self.frequencies)
            .into_iter()
            .filter_map(|file| {
                let content = self.content(&file).map(<[u8]>::to_vec);
                self.frequencies.push(file);
                content
            })
            .collect();
        let frequency_hz = mean_hz(contents.iter().map(Vec::as_slice));
        MachineReading { at, processors, waited_ns, throttled, frequency_hz }
    }

    fn content(&mut self, file: &Path) -> Option<&[u8]> {
        self.buffer.clear();
        File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut self.buffer).ok()?;
        Some(&self.buffer)
    }
}

impl MachineReading {
    /// When it was taken.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// What the machine did since an earlier reading.
    pub fn since(&self, before: &Self) -> MachineTimes {
        let elapsed = self.at.saturating_duration_since(before.at);
        let grown = |now: u64, before: u64| Duration::from_nanos(now.saturating_sub(before));
        let processors = self.processors.zip(before.processors);
        let of = |of: fn(&ProcessorTimes) -> u64| {
            processors.map_or(Duration::ZERO, |(now, before)| grown(of(&now), of(&before)))
        };
        let count = self.processors.map_or(1, |times| times.processors);
        let frequencies = [before.frequency_hz, self.frequency_hz];
        let seen = || frequencies.into_iter().flatten();
        MachineTimes {
            elapsed,
            available: elapsed.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX)),
            busy: of(|times| times.busy_ns),
            stolen: of(|times| times.stolen_ns),
            throttled: self.throttled.since(&before.throttled),
            waited: self.waited_ns.zip(before.waited_ns).map(|(now, before)| grown(now, before)),
            frequency_hz: seen().min().zip(seen().max()),
        }
    }
}

/// Most processors that are asked: some drivers interrupt the processor for an answer.
const MOST_POLICIES: usize = 16;

/// Files of the current frequency in kHz (Documentation/admin-guide/pm/cpufreq.rst); empty on virtual machines.
fn frequency_files(sys: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(sys.join("devices/system/cpu/cpufreq")) else { return Vec::new() };
    let is_policy =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("policy"));
    let mut policies: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_policy).collect();
    policies.sort_unstable();
    policies.into_iter().take(MOST_POLICIES).map(|policy| policy.join("scaling_cur_freq")).collect()
}

/// The mean of contents in kHz, in Hz.
fn mean_hz<'a>(contents: impl Iterator<Item = &'a [u8]>) -> Option<u64> {
    let (sum, count) =
        contents.filter_map(decimal).fold((0_u128, 0_u128), |(sum, count), khz| (sum + u128::from(khz), count + 1));
    u64::try_from((sum * 1_000).checked_div(count)?).ok()
}

/// Time in which at least one task waited for the resource, in ns since the machine was started: the line `some avg10=…
/// total=N` of a file in /proc/pressure (Documentation/accounting/psi.rst), which counts in µs.
///
/// ```
/// let cpu = b"some avg10=3.44 avg60=6.65 avg300=12.92 total=6077\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
/// assert_eq!(unladen_machine::some_pressure_ns(cpu), Some(6_077_000));
/// ```
pub fn some_pressure_ns(pressure: &[u8]) -> Option<u64> {
    const TOTAL: &[u8] = b"total=";
    let line = pressure.split(|&byte| byte == b'\n').find(|line| line.starts_with(b"some "))?;
    let at = line.windows(TOTAL.len()).position(|window| window == TOTAL)?;
    decimal(&line[at + TOTAL.len()..]).map(|us| us.saturating_mul(1_000))
}

/// /proc/self/mountinfo of a host with many containers is the longest of the files.
const MOST_BYTES_OF_STAT: u64 = 1024 * 1024;

/// The control groups that can throttle this process: its own, and those above it.
#[derive(Debug)]
pub struct Throttling {
    files: Vec<PathBuf>,
}

/// How long each was throttled since its creation.
#[derive(Debug, Clone)]
pub struct Throttled(Vec<Option<u64>>);

impl Throttling {
    /// For the calling process; `proc` is /proc except in tests.
    pub fn of_self(proc: &Path) -> Self {
        let of_self = |name: &str| content(&proc.join("self").join(name)).unwrap_or_default();
        let files = own_files(&of_self("mountinfo"), &of_self("cgroup"));
        let tells = |file: &PathBuf| content(file).is_some_and(|cpu_stat| throttled_ns(&cpu_stat).is_some());
        Self { files: files.into_iter().filter(tells).collect() }
    }

    /// Reads their `cpu.stat`.
    pub fn read(&self) -> Throttled {
        Throttled(self.files.iter().map(|file| throttled_ns(&content(file)?)).collect())
    }
}

impl Throttled {
    /// Time throttled since an earlier reading: the longest of its groups', for one above throttles all below it.
    pub fn since(&self, before: &Self) -> Duration {
        let grown = |(now, before): (&Option<u64>, &Option<u64>)| Some((*now)?.saturating_sub((*before)?));
        Duration::from_nanos(self.0.iter().zip(&before.0).filter_map(grown).max().unwrap_or(0))
    }
}

fn content(file: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    File::open(file).ok()?.take(MOST_BYTES_OF_STAT).read_to_end(&mut content).ok()?;
    Some(content)
}

/// /proc/stat counts in USER_HZ, which is 100 on every architecture that Unladen builds for.
const TICK_NS: u64 = 10_000_000;

/// Most processors of a kernel (NR_CPUS): more lines are no kernel's.
const MOST_PROCESSORS: usize = 8_192;

/// The sums over all processors in /proc/stat (proc_stat(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessorTimes {
    /// For processes, the kernel and interrupts.
    pub busy_ns: u64,
    pub idle_ns: u64,
    /// The hypervisor ran something else although a virtual processor had work (*steal*); an idle one loses none.
    pub stolen_ns: u64,
    pub processors: usize,
}

impl ProcessorTimes {
    /// Parses /proc/stat; `None` if it has no line for all processors.
    ///
    /// ```
    /// use unladen_machine::ProcessorTimes;
    ///
    /// let stat = b"cpu  100 0 50 800 0 0 10 40 0 0\ncpu0 100 0 50 800 0 0 10 40 0 0\nintr 7\n";
    /// let times = ProcessorTimes::parse(stat).unwrap();
    /// assert_eq!((times.busy_ns, times.stolen_ns, times.processors), (1_600_000_000, 400_000_000, 1));
    /// ```
    pub fn parse(stat: &[u8]) -> Option<Self> {
        let mut lines = stat.split(|&byte| byte == b'\n');
        let all = lines.next()?.strip_prefix(b"cpu ")?;
        let mut fields = all.split(|&byte| byte == b' ').filter(|field| !field.is_empty()).map(decimal);
        // Kernels before 2.6.11 have no steal; guest times, which follow it, are already in user times.
        let mut next = || fields.next().flatten().unwrap_or(0).saturating_mul(TICK_NS);
        let [user, nice, system, idle, iowait, irq, softirq, stolen] = std::array::from_fn(|_| next());
        let is_processor =
            |line: &&[u8]| line.strip_prefix(b"cpu").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit));
        let processors = lines.take_while(is_processor).take(MOST_PROCESSORS).count();
        let sum = |of: &[u64]| of.iter().copied().fold(0, u64::saturating_add);
        Some(Self {
            busy_ns: sum(&[user, nice, system, irq, softirq]),
            idle_ns: sum(&[idle, iowait]),
            stolen_ns: stolen,
            processors: processors.max(1),
        })
    }
}

/// The machine's times over a period. Periods can be added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MachineTimes {
    pub elapsed: Duration,
    /// `elapsed` times the number of processors.
    pub available: Duration,
    pub busy: Duration,
    /// Time that the hypervisor took from processors with work (steal).
    pub stolen: Duration,
    /// Time for which this process's control group was throttled by its CPU quota, summed over processors.
    pub throttled: Duration,
    /// Time in which some task was ready and had no processor; `None` if the kernel does not account for it.
    pub waited: Option<Duration>,
    /// The lowest and the highest mean frequency in any reading, in Hz; `None` if the kernel does not set it.
    pub frequency_hz: Option<(u64, u64)>,
}

impl MachineTimes {
    /// The share of the processors' time that the hypervisor took, 0 to 1: `st` in `top`.
    pub fn stolen_share(&self) -> f64 {
        share(self.stolen, self.available)
    }

    /// The share of the time *with work* that the hypervisor took, 0 to 1. Unlike [`stolen_share`](Self::stolen_share)
    /// it is the same whether the machine has much or little to do.
    pub fn stolen_of_wanted(&self) -> f64 {
        share(self.stolen, self.busy + self.stolen)
    }

    /// The share of the time in which some task had no processor, 0 to 1.
    pub fn pressure_share(&self) -> Option<f64> {
        self.waited.map(|waited| share(waited, self.elapsed))
    }

    /// The share of the time for which this process's control group was throttled, 0 to 1.
    pub fn throttled_share(&self) -> f64 {
        share(self.throttled, self.elapsed)
    }

    /// The sum of both periods.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let both = |a: Option<Duration>, b: Option<Duration>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let frequency_hz = match (self.frequency_hz, other.frequency_hz) {
            (Some((a_low, a_high)), Some((b_low, b_high))) => Some((a_low.min(b_low), a_high.max(b_high))),
            (a, b) => a.or(b),
        };
        Self {
            elapsed: self.elapsed + other.elapsed,
            available: self.available + other.available,
            busy: self.busy + other.busy,
            stolen: self.stolen + other.stolen,
            throttled: self.throttled + other.throttled,
            waited: both(self.waited, other.waited),
            frequency_hz,
        }
    }
}

/// Clamped: ticks are coarse, and can count more than a short period had.
fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { (part.as_secs_f64() / whole.as_secs_f64()).min(1.0) }
}

#[cfg(test)]
mod tests;

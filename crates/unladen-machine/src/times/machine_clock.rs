//! The principal type is [`MachineClock`]: reads what the machine's processors did, in some tens of microseconds.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::frequency;
use super::machine_times::MachineTimes;
use super::pressure::some_pressure_ns;
use super::processor_times::ProcessorTimes;
use super::throttling::{Throttled, Throttling};

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

/// Reads the machine's times. What this kernel does not provide is left out of the reading.
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
            frequencies: frequency::files(sys),
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
        let frequency_hz = frequency::mean_hz(contents.iter().map(Vec::as_slice));
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

#[cfg(test)]
mod tests;

//! The principal type is [`MachineClock`]: reads what the machine's processors did, in some tens of microseconds.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::control_group::{own_files, throttled_ns};
use super::frequency;
use super::machine_times::MachineTimes;
use super::pressure::some_pressure_ns;
use super::processor_times::ProcessorTimes;

/// /proc/stat grows by some 12 KiB per hundred processors, and by its interrupts; no file that is read here is longer.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// A folder with `stat` and `pressure` in place of /proc. Not for users: tests have steal there, which no machine gives
/// when asked.
const PROC_VARIABLE: &str = "UNLADEN_MACHINE_PROC";

/// Where the kernel's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// In place of /proc.
    pub proc: PathBuf,
    /// In place of /sys.
    pub sys: PathBuf,
}

/// Reads the machine's times. What this kernel does not tell stays out of the reading.
#[derive(Debug)]
pub struct MachineClock {
    proc: PathBuf,
    throttling: Vec<PathBuf>,
    frequencies: Vec<PathBuf>,
    buffer: Vec<u8>,
}

/// What a clock read at one moment.
#[derive(Debug, Clone)]
pub struct MachineReading {
    at: Instant,
    processors: Option<ProcessorTimes>,
    waited_ns: Option<u64>,
    /// Of each control group that can hold this process back.
    throttled_ns: Vec<Option<u64>>,
    frequency_hz: Option<u64>,
}

// === impl Places ===

impl Default for Places {
    fn default() -> Self {
        let proc = std::env::var_os(PROC_VARIABLE).map_or_else(|| "/proc".into(), PathBuf::from);
        Self { proc, sys: "/sys".into() }
    }
}

// === impl MachineClock ===

impl MachineClock {
    /// Of this machine.
    pub fn open() -> Self {
        Self::open_at(&Places::default())
    }

    /// Of a machine whose files are elsewhere.
    pub fn open_at(places: &Places) -> Self {
        let Places { proc, sys } = places;
        let mut clock =
            Self { proc: proc.clone(), throttling: Vec::new(), frequencies: frequency::files(sys), buffer: Vec::new() };
        let of_self = |name: &str| {
            let mut content = Vec::new();
            read_into(&proc.join("self").join(name), &mut content).map(|()| content).unwrap_or_default()
        };
        let files = own_files(&of_self("mountinfo"), &of_self("cgroup"));
        clock.throttling =
            files.into_iter().filter(|file| clock.content(file).and_then(throttled_ns).is_some()).collect();
        clock
    }

    /// Reads. Processors: /proc/stat; waiting: /proc/pressure/cpu; throttling: `cpu.stat` of this process's control
    /// group and of those above it; frequency: cpufreq below /sys.
    pub fn read(&mut self) -> MachineReading {
        let at = Instant::now();
        let (stat, pressure) = (self.proc.join("stat"), self.proc.join("pressure/cpu"));
        let processors = self.content(&stat).and_then(ProcessorTimes::parse);
        let waited_ns = self.content(&pressure).and_then(some_pressure_ns);
        let throttling = std::mem::take(&mut self.throttling);
        let throttled_ns = throttling.iter().map(|file| self.content(file).and_then(throttled_ns)).collect();
        self.throttling = throttling;
        let contents: Vec<Vec<u8>> = std::mem::take(&mut self.frequencies)
            .into_iter()
            .filter_map(|file| {
                let content = self.content(&file).map(<[u8]>::to_vec);
                self.frequencies.push(file);
                content
            })
            .collect();
        let frequency_hz = frequency::mean_hz(contents.iter().map(Vec::as_slice));
        MachineReading { at, processors, waited_ns, throttled_ns, frequency_hz }
    }

    fn content(&mut self, file: &Path) -> Option<&[u8]> {
        self.buffer.clear();
        read_into(file, &mut self.buffer).ok()?;
        Some(&self.buffer)
    }
}

fn read_into(file: &Path, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    File::open(file)?.take(MOST_BYTES).read_to_end(buffer).map(drop)
}

// === impl MachineReading ===

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
        // Whichever of the groups was held back longest: while one above is, so are all below it.
        let throttled = self
            .throttled_ns
            .iter()
            .zip(&before.throttled_ns)
            .filter_map(|(now, before)| Some(grown((*now)?, (*before)?)))
            .max();
        MachineTimes {
            elapsed,
            available: elapsed.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX)),
            busy: of(|times| times.busy_ns),
            stolen: of(|times| times.stolen_ns),
            throttled: throttled.unwrap_or_default(),
            waited: self.waited_ns.zip(before.waited_ns).map(|(now, before)| grown(now, before)),
            frequency_hz: seen().min().zip(seen().max()),
        }
    }
}

#[cfg(test)]
mod tests;

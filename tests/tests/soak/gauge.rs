//! The principal type is [`Gauge`]: what a process holds, read over time.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use nix::unistd::Pid;

/// From one reading to the next.
const EVERY: Duration = Duration::from_millis(200);
/// What memory may grow by after the warm-up: a share, and at least so many bytes, which is what malloc's own
/// housekeeping moves a small process by.
const SHARE: f64 = 0.05;
const LEAST: u64 = 2 << 20;

/// What a process holds, read over time.
pub struct Gauge {
    is_over: Arc<AtomicBool>,
    reading: JoinHandle<Vec<Reading>>,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    memory: u64,
    descriptors: u64,
}

/// All readings.
pub struct Readings(Vec<Reading>);

impl Gauge {
    /// Of this process, as long as it is there.
    pub fn start(process: Pid) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        let reading = spawn(move || {
            let mut readings = Vec::new();
            while !stop.load(Ordering::SeqCst)
                && let Some(reading) = read(process)
            {
                readings.push(reading);
                sleep(EVERY);
            }
            readings
        });
        Self { is_over, reading }
    }

    /// Ends it.
    pub fn stop(self) -> Readings {
        self.is_over.store(true, Ordering::SeqCst);
        Readings(self.reading.join().expect("reading does not panic"))
    }
}

/// None once it has ended.
fn read(process: Pid) -> Option<Reading> {
    let pages = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let mut pages = pages.split(' ').skip(1).map_while(|pages| pages.parse::<u64>().ok());
    // Without pages of files: a program is read in as it does this and that for the first time.
    let (resident, of_files) = (pages.next()?, pages.next()?);
    let pages = resident.checked_sub(of_files).filter(|pages| *pages > 0)?;
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64;
    Some(Reading { memory: pages * 4096, descriptors })
}

impl Readings {
    /// A line: how much there was after the warm-up, and at the end.
    pub fn told(&self, what: &str) -> String {
        let ((early, early_open), (late, late_open)) = (self.middle(1), self.middle(3));
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        format!(
            "{what}: {} readings; memory {:.1} MiB after the warm-up, {:.1} MiB at the end ({:+.1} %), at most {:.1} MiB; \
             descriptors {early_open} and {late_open}",
            self.0.len(),
            mib(early),
            mib(late),
            100.0 * (late as f64 / early.max(1) as f64 - 1.0),
            mib(self.0.iter().map(|reading| reading.memory).max().unwrap_or(0)),
        )
    }

    /// The last fourth holds no more than the second one did.
    #[track_caller]
    pub fn are_flat(&self, what: &str) {
        self.grow_by_at_most(what, 0);
    }

    /// The last fourth holds no more than the second one did, and so many bytes, which the command keeps by design.
    #[track_caller]
    pub fn grow_by_at_most(&self, what: &str, kept: u64) {
        assert!(self.0.len() >= 40, "{what}: {} readings are too few", self.0.len());
        let ((early, early_open), (late, late_open)) = (self.middle(1), self.middle(3));
        let most = early + ((early as f64 * SHARE) as u64).max(LEAST) + kept;
        assert!(late <= most, "{}", self.told(what));
        // Connections come and go all the time.
        assert!(late_open <= early_open + early_open / 4 + 8, "{}", self.told(what));
    }

    /// The medians of a fourth of the time, counted from 0.
    fn middle(&self, fourth: usize) -> (u64, u64) {
        let length = self.0.len() / 4;
        let part = &self.0[fourth * length..(fourth + 1) * length];
        let median = |of: fn(&Reading) -> u64| {
            let mut all: Vec<u64> = part.iter().map(of).collect();
            all.sort_unstable();
            all.get(all.len() / 2).copied().unwrap_or(0)
        };
        (median(|reading| reading.memory), median(|reading| reading.descriptors))
    }
}

//! The principal type is [`Throttling`]: how much its CPU quota throttles this process.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::control_group::{own_files, throttled_ns};

/// /proc/self/mountinfo of a host with many containers is the longest of the files.
const MOST_BYTES: u64 = 1024 * 1024;

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
    File::open(file).ok()?.take(MOST_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
}

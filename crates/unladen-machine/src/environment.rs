//! The principal type is [`Environment`]: properties of the machine that can change the figures.

use std::thread::available_parallelism;

use serde::Serialize;

mod cpu;
mod quota;
mod software;
mod virtualisation;

pub use software::{Software, software_of};
pub use virtualisation::Virtualisation;

use crate::root::Root;

/// The machine, its kernel, and its software; `None` is unknown.
///
/// It serialises as the field `environment` of the result documents, where the host's name stands beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Environment {
    #[serde(skip)]
    pub host: Option<String>,
    /// As in `uname -r`.
    pub kernel: Option<String>,
    /// Model, with the numbers that tell processors of the same name apart.
    pub cpu: Option<String>,
    /// Processors that this process may use at the same time, by its affinity and the whole ones of its quota.
    pub processors: usize,
    /// The smallest quota of this process's control groups, in processors; `None` without one.
    pub processor_quota: Option<f64>,
    pub virtualisation: Virtualisation,
    /// Memory that the kernel manages, in bytes.
    pub memory_bytes: Option<u64>,
    /// Runnable and waiting threads, averaged over about the last minute.
    pub load_1m: Option<f64>,
    /// Programs that affect the figures, chosen by the caller.
    pub software: Vec<Software>,
}

impl Environment {
    /// Reads a few small files of this machine's kernel.
    ///
    /// ```
    /// use unladen_machine::Environment;
    ///
    /// let environment = Environment::of_this_machine();
    /// assert!(environment.processors >= 1);
    /// println!("{} on {}", environment.kernel.unwrap_or_default(), environment.cpu.unwrap_or_default());
    /// ```
    pub fn of_this_machine() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self::read(&Root::of_this_machine(), processors)
    }

    fn read(root: &Root, processors: usize) -> Self {
        Self {
            host: root.line("proc/sys/kernel/hostname"),
            kernel: root.line("proc/sys/kernel/osrelease"),
            cpu: cpu::model(root),
            processors,
            processor_quota: quota::quota(root),
            virtualisation: Virtualisation::read(root),
            memory_bytes: root.read("proc/meminfo").and_then(|content| memory_bytes(&content)),
            load_1m: root.line("proc/loadavg").and_then(|line| load_1m(&line)),
            software: Vec::new(),
        }
    }
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn load_1m(loadavg: &str) -> Option<f64> {
    loadavg.split_ascii_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite() && *load >= 0.0)
}

#[cfg(test)]
mod tests;

//! The principal type is [`Environment`]: what a run was measured on, as far as it can change the figures.

use std::thread::available_parallelism;

use serde::Serialize;

mod cpu;
mod quota;
mod software;
mod virtualisation;

pub use software::{Software, software_of};
pub use virtualisation::Virtualisation;

use crate::root::Root;

/// The machine, its kernel, and the software that was seen on it. Whatever could not be found out is `None`.
///
/// It serialises as the field `environment` of the result documents; the host's name stands beside it there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Environment {
    /// The host's name, as the kernel knows it.
    #[serde(skip)]
    pub host: Option<String>,
    /// The kernel's release, as `uname -r` prints it.
    pub kernel: Option<String>,
    /// The model of the processor, with the numbers that tell it from others of a like name.
    pub cpu: Option<String>,
    /// Processors that this process may use at the same time: within its affinity and the whole ones of its quota.
    pub processors: usize,
    /// The smallest quota of the control groups that this process is in, in processors; `None` without one.
    pub processor_quota: Option<f64>,
    /// What stands between the kernel and the hardware.
    pub virtualisation: Virtualisation,
    /// Memory that the kernel manages, in bytes.
    pub memory_bytes: Option<u64>,
    /// Runnable and waiting threads, as the mean of about the last minute.
    pub load_1m: Option<f64>,
    /// Programs of which the figures depend, with their versions: whoever measures knows which.
    pub software: Vec<Software>,
}

impl Environment {
    /// Reads what the kernel of this machine says; a few small files.
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

/// `MemTotal:       49368368 kB`
fn memory_bytes(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `2.03 2.09 2.43 3/109 24565`
fn load_1m(loadavg: &str) -> Option<f64> {
    loadavg.split_ascii_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite() && *load >= 0.0)
}

#[cfg(test)]
mod tests;

//! The principal type is [`Environment`]: properties of the machine that can change the figures.

mod software;
mod virtualisation;

pub use software::{Software, software_of};
pub use virtualisation::Virtualisation;

use std::thread::available_parallelism;

use serde::Serialize;

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
            cpu: model(root),
            processors,
            processor_quota: quota(root),
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

/// The model of the first processor; other kinds in the same machine are ignored.
pub(crate) fn model(root: &Root) -> Option<String> {
    root.read("proc/cpuinfo")
        .and_then(|content| named(&content))
        // Boards have a name if the processor does not.
        .or_else(|| root.line("proc/device-tree/model"))
}

/// `/proc/cpuinfo` is a list of `key : value`, whose keys differ by architecture. Hypervisors give many processors the
/// same name, so the numbers of family and model are added.
fn named(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() == key).and_then(
            |(_, value)| {
                let value = value.trim();
                (!value.is_empty()).then_some(value)
            },
        )
    };
    if let Some(name) = value("model name").or_else(|| value("cpu model")).or_else(|| value("cpu")) {
        return Some(match (value("cpu family"), value("model")) {
            (Some(family), Some(model)) => format!("{name}, family {family} model {model}"),
            _ => name.to_owned(),
        });
    }
    let (implementer, part) = (value("CPU implementer")?, value("CPU part")?);
    Some(format!("ARM implementer {implementer} part {part}"))
}

/// Control groups are seldom nested deeper; the kernel's own limit can be raised.
const DEEPEST: usize = 32;

/// How many processors the control groups leave to this process.
pub(crate) fn quota(root: &Root) -> Option<f64> {
    let groups = root.read("proc/self/cgroup")?;
    let of_version_2 = path_of(&groups, |controllers| controllers.is_empty())
        .and_then(|path| smallest(path, |folder| max(&root.line(&format!("sys/fs/cgroup{folder}/cpu.max"))?)));
    let of_version_1 =
        path_of(&groups, |controllers| controllers.split(',').any(|one| one == "cpu")).and_then(|path| {
            smallest(path, |folder| {
                let file = |name: &str| root.line(&format!("sys/fs/cgroup/cpu{folder}/cpu.cfs_{name}_us"));
                cfs(&file("quota")?, &file("period")?)
            })
        });
    of_version_2.into_iter().chain(of_version_1).reduce(f64::min)
}

/// The path in the line `id:controllers:path` with the wanted controllers.
fn path_of(groups: &str, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        // A path with `..` belongs to a process in another namespace.
        let is_whole = path.starts_with('/') && !path.split('/').any(|name| name == "..");
        (is_wanted(controllers) && is_whole).then_some(path)
    })
}

fn smallest(path: &str, quota: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut folder = path.trim_end_matches('/');
    let mut found = quota(folder);
    for _ in 0..DEEPEST {
        let Some((above, _)) = folder.rsplit_once('/') else { break };
        folder = above;
        found = found.into_iter().chain(quota(folder)).reduce(f64::min);
    }
    found
}

/// `cpu.max` of version 2: `max 100000` or `150000 100000`.
fn max(line: &str) -> Option<f64> {
    let (quota, period) = line.split_once(' ')?;
    cfs(quota, period)
}

/// Quota and period in µs; without a limit the quota is `max`, or -1 in version 1.
fn cfs(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests;

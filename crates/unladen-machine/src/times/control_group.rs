//! Control groups with a CPU quota: [`own_files`] finds the `cpu.stat` of this process's, [`throttled_ns`] reads one.

use std::path::{Component, Path, PathBuf};

use crate::root::number_after;

/// Levels examined above this process's group.
const MOST_LEVELS: usize = 32;

/// A mounted hierarchy of control groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlGroupMount {
    pub point: PathBuf,
    /// The group mounted there: not `/` in a container that sees only its own part.
    pub root: PathBuf,
    /// Controllers of a v1 hierarchy; `None` for v2.
    pub controllers: Option<Vec<String>>,
}

/// All hierarchies of control groups in /proc/PID/mountinfo (proc_pid_mountinfo(5)).
pub fn control_group_mounts(mountinfo: &[u8]) -> Vec<ControlGroupMount> {
    let Ok(text) = std::str::from_utf8(mountinfo) else { return Vec::new() };
    let mount = |line: &str| {
        let (fields, of_the_file_system) = line.split_once(" - ")?;
        let mut fields = fields.split_ascii_whitespace().skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let mut of_the_file_system = of_the_file_system.split_ascii_whitespace();
        let controllers = match of_the_file_system.next()? {
            "cgroup2" => None,
            "cgroup" => Some(of_the_file_system.nth(1)?.split(',').map(ToOwned::to_owned).collect()),
            _ => return None,
        };
        Some(ControlGroupMount { point: point.into(), root: root.into(), controllers })
    };
    text.lines().filter_map(mount).collect()
}

/// The `cpu.stat` of the group with this process's CPU quota, and of all groups above it: if any is throttled, this
/// process waits. `cgroup` is the content of /proc/self/cgroup (cgroups(7)).
pub(super) fn own_files(mountinfo: &[u8], cgroup: &[u8]) -> Vec<PathBuf> {
    let Ok(cgroup) = std::str::from_utf8(cgroup) else { return Vec::new() };
    let mounts = control_group_mounts(mountinfo);
    let mut files = Vec::new();
    for line in cgroup.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let is_cpu = |controller: &str| controller == "cpu";
        let mount = mounts.iter().find(|mount| match &mount.controllers {
            None => controllers.is_empty(),
            Some(of_mount) => controllers.split(',').any(is_cpu) && of_mount.iter().any(|name| is_cpu(name)),
        });
        let Some(mount) = mount else { continue };
        // A group outside of the mount cannot be read; a namespace shows it as `/..`.
        let Ok(path) = Path::new(path).strip_prefix(&mount.root) else { continue };
        if path.components().any(|part| part == Component::ParentDir) {
            continue;
        }
        files.extend(path.ancestors().take(MOST_LEVELS).map(|level| mount.point.join(level).join("cpu.stat")));
    }
    files
}

/// Time for which a group was throttled by its CPU quota, in ns, from its `cpu.stat`: `throttled_usec` of v2,
/// `throttled_time` of v1. The times of all processors are summed. `None` without a CPU controller.
///
/// ```
/// use unladen_machine::throttled_ns;
///
/// assert_eq!(throttled_ns(b"usage_usec 9\nnr_throttled 2\nthrottled_usec 31\n"), Some(31_000));
/// assert_eq!(throttled_ns(b"nr_periods 9\nnr_throttled 2\nthrottled_time 31000\n"), Some(31_000));
/// ```
pub fn throttled_ns(cpu_stat: &[u8]) -> Option<u64> {
    let v2 = || number_after(cpu_stat, b"throttled_usec ").map(|us| us.saturating_mul(1_000));
    v2().or_else(|| number_after(cpu_stat, b"throttled_time "))
}

#[cfg(test)]
mod tests;

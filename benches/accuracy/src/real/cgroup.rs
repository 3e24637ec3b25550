//! The principal types are [`Unit`], a control group named like a systemd unit, and [`Quota`], one whose share of the
//! processors can be limited.

use std::fs;
use std::path::{Path, PathBuf};

use crate::real::error::RealError;

/// Of the group, as `weigh` shows it.
pub(super) const NAME: &str = "burn.service";

/// A control group (v2), removed when it is dropped; its processes have to be gone by then.
#[derive(Debug)]
pub(super) struct Unit {
    /// Ours alone, so that nobody's burn.service is touched.
    parent: PathBuf,
}

impl Unit {
    /// Whether one can be made here: a v2 hierarchy is mounted, and may be written.
    pub(super) fn is_possible() -> bool {
        Self::create().is_ok()
    }

    pub(super) fn create() -> Result<Self, RealError> {
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").map_err(RealError::of("mountinfo"))?;
        let mount = mountinfo
            .lines()
            .filter_map(|line| line.split_once(" - "))
            .find(|(_, file_system)| file_system.starts_with("cgroup2 "))
            .and_then(|(fields, _)| fields.split(' ').nth(4))
            .ok_or_else(|| RealError::failed("no cgroup v2 hierarchy is mounted"))?;
        let parent = Path::new(mount).join(format!("unladen-accuracy-{}", std::process::id()));
        let unit = Self { parent };
        fs::create_dir_all(unit.folder()).map_err(RealError::of(NAME))?;
        Ok(unit)
    }

    /// Puts a process into it.
    pub(super) fn take(&self, pid: u32) -> Result<(), RealError> {
        fs::write(self.folder().join("cgroup.procs"), pid.to_string()).map_err(RealError::of(NAME))
    }

    fn folder(&self) -> PathBuf {
        self.parent.join(NAME)
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        for folder in [self.folder(), self.parent.clone()] {
            remove(&folder);
        }
    }
}

/// Removes a control group whose processes have ended, or are about to.
pub(super) fn remove(folder: &Path) {
    for _ in 0..50 {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            _ => break,
        }
    }
}

/// How often a share is given out anew, µs.
const PERIOD: u32 = 100_000;

/// A control group with the controller `cpu`, of version 1 or 2, without a limit at first. It is removed when it is dropped;
/// its processes go back to where all are.
#[derive(Debug)]
pub(super) struct Quota {
    limiter: Limiter,
}

/// What limits it.
#[derive(Debug, Clone)]
pub(super) struct Limiter {
    folder: PathBuf,
    is_second_version: bool,
}

impl Quota {
    pub(super) fn create() -> Result<Self, RealError> {
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").map_err(RealError::of("mountinfo"))?;
        let (mount, is_second_version) =
            mounted(&mountinfo).ok_or_else(|| RealError::failed("no control groups with a CPU quota are mounted"))?;
        if is_second_version {
            fs::write(mount.join("cgroup.subtree_control"), "+cpu").map_err(RealError::of("cgroup.subtree_control"))?;
        }
        let folder = mount.join(format!("unladen-accuracy-quota-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(RealError::of(folder.display().to_string()))?;
        let quota = Self { limiter: Limiter { folder, is_second_version } };
        quota.limiter.set(None).map_err(RealError::of("the quota of a control group"))?;
        Ok(quota)
    }

    /// Puts a process into it.
    pub(super) fn take(&self, pid: u32) -> Result<(), RealError> {
        fs::write(self.limiter.folder.join("cgroup.procs"), pid.to_string()).map_err(RealError::of("cgroup.procs"))
    }

    pub(super) fn limiter(&self) -> Limiter {
        self.limiter.clone()
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let Some(mount) = self.limiter.folder.parent() else { return };
        let processes = fs::read_to_string(self.limiter.folder.join("cgroup.procs")).unwrap_or_default();
        for process in processes.lines() {
            // One that ends meanwhile is gone.
            let _ = fs::write(mount.join("cgroup.procs"), process);
        }
        remove(&self.limiter.folder);
    }
}

impl Limiter {
    /// From now on it gets this share of one processor; without one, as much as there is.
    pub(super) fn set(&self, share: Option<f64>) -> std::io::Result<()> {
        let quota = share.map(|share| (share * f64::from(PERIOD)) as u32);
        if self.is_second_version {
            let quota = quota.map_or("max".to_owned(), |quota| quota.to_string());
            fs::write(self.folder.join("cpu.max"), format!("{quota} {PERIOD}"))
        } else {
            let quota = quota.map_or("-1".to_owned(), |quota| quota.to_string());
            fs::write(self.folder.join("cpu.cfs_period_us"), PERIOD.to_string())?;
            fs::write(self.folder.join("cpu.cfs_quota_us"), quota)
        }
    }
}

/// Where control groups with the controller `cpu` are mounted, and whether they are of version 2 (proc(5), mountinfo).
fn mounted(mountinfo: &str) -> Option<(PathBuf, bool)> {
    mountinfo.lines().find_map(|line| {
        let (fields, file_system) = line.split_once(" - ")?;
        let mount = Path::new(fields.split(' ').nth(4)?);
        let (kind, options) = file_system.split_once(' ')?;
        let of_second = || fs::read_to_string(mount.join("cgroup.controllers")).unwrap_or_default();
        match kind {
            "cgroup" if options.rsplit(' ').next()?.split(',').any(|option| option == "cpu") => {
                Some((mount.to_owned(), false))
            }
            "cgroup2" if of_second().split_whitespace().any(|name| name == "cpu") => Some((mount.to_owned(), true)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hierarchy_of_version_1_is_found_by_its_controller() {
        let lines =
            "33 31 0:30 / /x/cpuacct rw - cgroup cgroup rw,cpuacct\n32 31 0:29 / /x/cpu rw - cgroup cgroup rw,cpu\n";
        assert_eq!(mounted(lines), Some(("/x/cpu".into(), false)));
        assert_eq!(mounted("33 31 0:30 / /x/cpuacct rw - cgroup cgroup rw,cpuacct\n"), None);
    }
}

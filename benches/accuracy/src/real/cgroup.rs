//! The principal type is [`Unit`]: a control group named like a systemd unit.

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
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").map_err(RealError::io("mountinfo"))?;
        let mount = mountinfo
            .lines()
            .filter_map(|line| line.split_once(" - "))
            .find(|(_, file_system)| file_system.starts_with("cgroup2 "))
            .and_then(|(fields, _)| fields.split(' ').nth(4))
            .ok_or_else(|| RealError::failed("no cgroup v2 hierarchy is mounted"))?;
        let parent = Path::new(mount).join(format!("unladen-accuracy-{}", std::process::id()));
        let unit = Self { parent };
        fs::create_dir_all(unit.folder()).map_err(RealError::io(NAME))?;
        Ok(unit)
    }

    /// Puts a process into it.
    pub(super) fn take(&self, pid: u32) -> Result<(), RealError> {
        fs::write(self.folder().join("cgroup.procs"), pid.to_string()).map_err(RealError::io(NAME))
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

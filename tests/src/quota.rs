//! The principal type is [`Quota`]: a control group with a CPU quota that a test sets.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The period of the quota, µs.
const PERIOD: u64 = 100_000;

/// A control group of a test's own. It goes when this is dropped, by when its processes have to have ended.
#[derive(Debug)]
pub struct Quota {
    folder: PathBuf,
    is_v2: bool,
}

impl Quota {
    /// A new group without a quota; none where the machine does not let one be made.
    pub fn new() -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (mount, is_v2) = cpu_mount()?;
        if is_v2 {
            fs::write(mount.join("cgroup.subtree_control"), "+cpu").ok()?;
        }
        let name = format!("unladen-test-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let group = Self { folder: mount.join(name), is_v2 };
        fs::create_dir(&group.folder).ok()?;
        // Dropped, it removes the folder.
        group.try_set(None).then_some(group)
    }

    /// Where processes are put into it.
    pub fn procs(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }

    /// Lets its processes run for so many µs of each 100 ms; as long as they like with `None`.
    pub fn set(&self, us: Option<u64>) {
        assert!(self.try_set(us), "the quota of {} cannot be set", self.folder.display());
    }

    fn try_set(&self, us: Option<u64>) -> bool {
        let (name, text) = match (self.is_v2, us) {
            (true, None) => ("cpu.max", format!("max {PERIOD}")),
            (true, Some(us)) => ("cpu.max", format!("{us} {PERIOD}")),
            (false, None) => ("cpu.cfs_quota_us", "-1".to_owned()),
            (false, Some(us)) => ("cpu.cfs_quota_us", us.to_string()),
        };
        fs::write(self.folder.join(name), text).is_ok()
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Where the CPU controller is, and whether that is the v2 hierarchy.
fn cpu_mount() -> Option<(PathBuf, bool)> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (point, kind, options) = (Path::new(fields.next()?), fields.next()?, fields.next()?);
        match kind {
            "cgroup" if options.split(',').any(|option| option == "cpu") => Some((point.to_owned(), false)),
            "cgroup2" => {
                let controllers = fs::read_to_string(point.join("cgroup.controllers")).ok()?;
                controllers.split_whitespace().any(|name| name == "cpu").then(|| (point.to_owned(), true))
            }
            _ => None,
        }
    })
}

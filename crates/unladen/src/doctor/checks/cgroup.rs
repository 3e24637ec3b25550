//! The principal type is [`ControlGroups`]: whether processes can be told apart by unit.

use unladen_machine::control_group_mounts;

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct ControlGroups;

impl Check for ControlGroups {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::LOOKING
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let mounts = asked.read("proc/self/mountinfo").unwrap_or_default();
        let version_2 = control_group_mounts(mounts.as_bytes()).into_iter().find(|mount| mount.controllers.is_none());
        vec![match version_2 {
            Some(mount) => Row::ok(Verb::LOOKING, format!("control groups of version 2 at {}", mount.point.display())),
            None => Row::limited(Verb::LOOKING, "no control groups of version 2 are mounted")
                .so("CPU times of units are those of their processes alone, and less exact")
                .advice("boot with systemd.unified_cgroup_hierarchy=1; in a container, mount /sys/fs/cgroup"),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::row::Verdict;

    #[test]
    fn version_1_alone_is_not_enough() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
        let look = |mounts: &str| {
            std::fs::write(root.path().join("proc/self/mountinfo"), mounts).unwrap();
            ControlGroups.look(&Asked::at(root.path()))[0].verdict
        };
        assert_eq!(look("30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"), Verdict::Limited);
        assert_eq!(look("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), Verdict::Ok);
    }
}

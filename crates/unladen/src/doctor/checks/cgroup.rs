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
mod tests;

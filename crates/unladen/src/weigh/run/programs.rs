//! The programs of groups, as a [`Run`] finds them: via their processes' root folders, which may be containers'.

use std::path::PathBuf;

use unladen_probe::GroupId;

use super::Run;

impl Run<'_> {
    /// Where the root folder of a group's processes, which may live in a container, is reached.
    pub(super) fn root_of(&self, name: &str) -> Option<PathBuf> {
        let (group, _) = self.instrument.groups().find(|(_, group)| group.name == name)?;
        let member = self.instrument.members(group).next()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)))
    }

    /// The program of a group's processes, via their root folder, which may be a container's.
    pub(super) fn executable_of(&self, group: GroupId) -> Option<PathBuf> {
        let member = self.instrument.members(group).next()?;
        let program = std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)).join(program.strip_prefix("/").ok()?))
    }
}

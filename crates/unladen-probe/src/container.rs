//! The principal type is [`Container`]: where a process with a root folder of its own lives, by the name people use.
//!
//! A mount namespace alone makes no container: systemd gives one to each service with a private `/tmp`, whose files are
//! still the host's. With another root folder, files differ and paths mean nothing outside.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::container_path::{ContainerName, ContainerPath, Engine};
use crate::container_state::ContainerState;
use crate::procfs::parent;

const MOST_PARENTS: usize = 8;

/// A container, or another root folder, in which a process lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// `the container web`, `the service php of the Compose project shop`, `the root folder /srv/site`.
    pub name: String,
    /// Restarts it, if its engine is known: `docker restart web`.
    pub restart: Option<String>,
    root: PathBuf,
}

impl Container {
    /// Where the process lives; `None` if its root is ours or unreadable. A worker moved to another root by a master
    /// whose root is ours has read its settings with the master.
    pub fn of(pid: u32) -> Option<Self> {
        let first = first_of_program(pid);
        let root = PathBuf::from(format!("/proc/{first}/root"));
        let (its, ours) = (fs::metadata(root.join("")).ok()?, fs::metadata("/").ok()?);
        if (its.dev(), its.ino()) == (ours.dev(), ours.ino()) {
            return None;
        }
        let cgroup = fs::read_to_string(format!("/proc/{first}/cgroup")).unwrap_or_default();
        let named = found(&cgroup).map(|container| {
            let mut state = ContainerState::new("/");
            let name = state.name_of(&container);
            called(&container, name.as_ref(), state.account_of(&container).as_deref())
        });
        let (name, restart) = named.unwrap_or_else(|| {
            let folder = fs::read_link(&root).ok().filter(|folder| folder.as_path() != Path::new("/"));
            let name = match folder {
                Some(folder) => format!("the root folder {}", folder.display()),
                None => format!("the container of process {first}"),
            };
            (name, None)
        });
        Some(Self { name, restart, root })
    }

    /// The first of these folders that exists in it.
    pub fn first_folder<'a>(&self, folders: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        folders.into_iter().find(|folder| self.root.join(folder.trim_start_matches('/')).is_dir())
    }
}

/// The oldest ancestor that runs the same program, such as the master of a worker. Of another user's, only the name is
/// seen without root.
pub(crate) fn first_of_program(pid: u32) -> u32 {
    let exe = |pid: u32| fs::read_link(format!("/proc/{pid}/exe"));
    let name = |pid: u32| fs::read_to_string(format!("/proc/{pid}/comm")).ok();
    let is_same = |parent: u32| match (exe(parent), exe(pid)) {
        (Ok(parents), Ok(own)) => parents == own,
        (Err(error), _) if error.kind() == ErrorKind::PermissionDenied => name(parent) == name(pid),
        _ => false,
    };
    let mut first = pid;
    for _ in 0..MOST_PARENTS {
        match parent(first).filter(|parent| *parent > 1 && is_same(*parent)) {
            Some(parent) => first = parent,
            None => break,
        }
    }
    first
}

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn named(cgroup: &str) -> Option<(String, Option<String>)> {
    found(cgroup).map(|container| called(&container, None, None))
}

fn found(cgroup: &str) -> Option<ContainerPath> {
    let paths = cgroup.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.filter_map(|path| path.rsplit('/').find_map(|part| ContainerPath::of_component(part, path))).next()
}

/// Name with an article, and restart command; `account` is the user of a rootless engine.
fn called(container: &ContainerPath, name: Option<&ContainerName>, account: Option<&str>) -> (String, Option<String>) {
    let own = name.map_or_else(|| format!("the container {}", container.short()), ToString::to_string);
    let shown = match (container.user, account) {
        (None, _) => own,
        (Some(_), Some(account)) => format!("{own} of {account}"),
        (Some(user), None) => format!("{own} of user {user}"),
    };
    let restart = match name {
        Some(ContainerName::Service { project, service, .. }) if container.engine == Engine::Docker => {
            container.as_owner(&format!("docker compose -p {project} restart {service}"), account)
        }
        _ => container.restart(name.and_then(ContainerName::of_engine).unwrap_or(container.short()), account),
    };
    (shown, restart)
}

#[cfg(test)]
mod tests;

//! The principal type is [`Container`]: where a process lives that has a root of its own, as people call it.
//!
//! A mount namespace alone makes no container: systemd gives one to every service whose `/tmp` is private, and that
//! service's files are the host's. What has another root folder has other files, and a path of it means nothing
//! outside.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::parent::parent;

/// Parents that are looked at to find the first process of a program.
const MOST_PARENTS: usize = 8;
/// Digits of a container's id that people see in listings.
const SHORT_ID: usize = 12;

/// Where a process lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// With an article: `the container 3f9c2a81b7d0`, `the root folder /srv/site`.
    pub name: String,
    /// The command that starts it again, where its engine is known: `docker restart 3f9c2a81b7d0`.
    pub restart: Option<String>,
    /// Its root, as this process reaches it.
    root: PathBuf,
}

// === impl Container ===

impl Container {
    /// Where this process lives; none if its root is ours, or it cannot be told. A worker that was given another root
    /// by a master whose root is ours has read its settings with the master.
    pub fn of(pid: u32) -> Option<Self> {
        let first = first_of_program(pid);
        let root = PathBuf::from(format!("/proc/{first}/root"));
        let (its, ours) = (fs::metadata(root.join("")).ok()?, fs::metadata("/").ok()?);
        if (its.dev(), its.ino()) == (ours.dev(), ours.ino()) {
            return None;
        }
        let cgroup = fs::read_to_string(format!("/proc/{first}/cgroup")).unwrap_or_default();
        let (name, restart) = named(&cgroup).unwrap_or_else(|| {
            let folder = fs::read_link(&root).ok().filter(|folder| folder.as_path() != Path::new("/"));
            let name = match folder {
                Some(folder) => format!("the root folder {}", folder.display()),
                None => format!("the container of process {first}"),
            };
            (name, None)
        });
        Some(Self { name, restart, root })
    }

    /// The first of these folders that is there, as its processes call it.
    pub fn first_folder<'a>(&self, folders: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        folders.into_iter().find(|folder| self.root.join(folder.trim_start_matches('/')).is_dir())
    }
}

/// The oldest ancestor that runs the same program: the master of a worker.
fn first_of_program(pid: u32) -> u32 {
    let exe = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let own = exe(pid);
    let mut first = pid;
    for _ in 0..MOST_PARENTS {
        match parent(first).filter(|parent| *parent > 1 && own.is_some() && exe(*parent) == own) {
            Some(parent) => first = parent,
            None => break,
        }
    }
    first
}

/// By its control group (cgroups(7)), as engines name them: `docker-ID.scope` and `libpod-ID.scope` under systemd,
/// `/docker/ID` and `/libpod_parent/libpod-ID` without, `cri-containerd-ID.scope` of Kubernetes, `machine-NAME.scope`
/// of systemd-nspawn, `lxc.payload.NAME`.
pub(crate) fn named(cgroup: &str) -> Option<(String, Option<String>)> {
    let paths = cgroup.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.filter_map(|path| path.rsplit('/').find_map(|part| one(part, path))).next()
}

fn one(part: &str, path: &str) -> Option<(String, Option<String>)> {
    let stem = part.strip_suffix(".scope").unwrap_or(part);
    if let Some(name) = part.strip_prefix("lxc.payload.") {
        return is_shown(name).then(|| (format!("the container {name}"), None));
    }
    if let Some(name) = part.strip_suffix(".scope").and_then(|stem| stem.strip_prefix("machine-")) {
        let name = unescaped(name);
        let restart = is_word(&name).then(|| format!("machinectl reboot {name}"));
        return is_shown(&name).then(|| (format!("the container {name}"), restart));
    }
    let id = stem.rsplit('-').next()?;
    if id.len() != 64 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let id = &id[..SHORT_ID];
    let restart = if stem.starts_with("docker-") || path.contains("/docker/") {
        Some(format!("docker restart {id}"))
    } else if stem.starts_with("libpod-") {
        Some(format!("podman restart {id}"))
    } else {
        None
    };
    Some((format!("the container {id}"), restart))
}

/// systemd writes what is no letter in a unit's name as `\x2d` (systemd.unit(5)).
fn unescaped(name: &str) -> String {
    name.replace("\\x2d", "-").replace("\\x5f", "_")
}

/// Whether it is a name that can be shown.
fn is_shown(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(char::is_control)
}

/// Whether a shell takes it as it is, and a program for no option.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

#[cfg(test)]
mod tests;

//! Control groups: which unit a process belongs to, and where its counters are. The principal type is [`Hierarchy`].

use std::path::{Path, PathBuf};

use unladen_machine::control_group_mounts;

use crate::container_path::ContainerPath;
use crate::container_state::ContainerState;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    mount: PathBuf,
}

impl Hierarchy {
    /// Finds it in /proc/self/mountinfo (proc_pid_mountinfo(5)); `None` if no v2 hierarchy is mounted.
    pub(crate) fn parse(mountinfo: &[u8]) -> Option<Self> {
        let mounts = control_group_mounts(mountinfo);
        mounts.into_iter().find(|mount| mount.controllers.is_none()).map(|mount| Self { mount: mount.point })
    }

    /// `path` as in /proc/PID/cgroup. The base counters are there with or without the cpu controller.
    pub(crate) fn cpu_stat(&self, path: &str) -> PathBuf {
        self.mount.join(path.trim_start_matches('/')).join("cpu.stat")
    }
}

/// A systemd unit or a container, read from the path of its control group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Unit {
    pub(crate) container: Option<ContainerPath>,
    /// `php8.2-fpm.service`, on the machine or in the container.
    pub(crate) service: Option<String>,
    /// Path in the v2 hierarchy; `None` if only v1 names it.
    pub(crate) path: Option<String>,
}

impl Unit {
    /// Name for people: `php8.2-fpm.service`, `container 3f9c2a81b7d0`, `compose shop/php`; `container
    /// web/php8.2-fpm.service` for a service within a container, `container web of joe` for a rootless engine's.
    pub(crate) fn name(&self, state: &mut ContainerState) -> String {
        let service = self.service.as_deref();
        let Some(container) = &self.container else { return service.unwrap_or_default().to_owned() };
        let known = state.name_of(container).map(|name| name.group());
        let mut name = known.unwrap_or_else(|| format!("container {}", container.short()));
        if let Some(service) = service {
            name.push('/');
            name.push_str(service);
        }
        if let Some(user) = container.user {
            let account = state.account_of(container).unwrap_or_else(|| format!("user {user}"));
            name.push_str(" of ");
            name.push_str(&account);
        }
        if container.is_monitor {
            name.push_str(" (monitor)");
        }
        name
    }
}

/// The unit that runs a service in /proc/PID/cgroup (cgroups(7)). Login sessions and user managers hold unrelated
/// programs and do not count.
pub(crate) fn unit_of(proc_pid_cgroup: &[u8]) -> Option<Unit> {
    let text = std::str::from_utf8(proc_pid_cgroup).ok()?;
    let paths = text.lines().filter_map(|line| {
        let (id, rest) = line.split_once(':')?;
        let (_, path) = rest.split_once(':')?;
        Some((id == "0", path))
    });
    let mut found: Option<Unit> = None;
    for (is_v2, path) in paths {
        let Some((unit, up_to)) = unit_in(path) else { continue };
        if is_v2 {
            return Some(Unit { path: Some(path[..up_to].to_owned()), ..unit });
        }
        found.get_or_insert(unit);
    }
    found
}

pub(crate) fn path_of(proc_pid_cgroup: &[u8]) -> Option<&str> {
    std::str::from_utf8(proc_pid_cgroup).ok()?.lines().find_map(|line| line.strip_prefix("0::"))
}

/// The deepest service or container in the path, where its component ends, and for a service the container around it.
fn unit_in(path: &str) -> Option<(Unit, usize)> {
    let mut end = path.len();
    let mut inner: Option<(String, usize)> = None;
    for component in path.rsplit('/') {
        if let Some(container) = ContainerPath::of_component(component, path) {
            let (service, up_to) = inner.map_or((None, end), |(service, up_to)| (Some(service), up_to));
            return Some((Unit { container: Some(container), service, path: None }, up_to));
        }
        if inner.is_none()
            && let Some(name) = service(component)
        {
            inner = Some((name, end));
        }
        end = end.saturating_sub(component.len() + 1);
    }
    inner.map(|(service, up_to)| (Unit { container: None, service: Some(service), path: None }, up_to))
}

fn service(component: &str) -> Option<String> {
    let is_user_manager = component.starts_with("user@");
    let is_shown = !component.chars().any(char::is_control);
    (component.ends_with(".service") && !is_user_manager && is_shown).then(|| component.to_owned())
}

pub(crate) fn is_readable(path: &Path) -> bool {
    std::fs::read(path).is_ok()
}

#[cfg(test)]
mod tests;

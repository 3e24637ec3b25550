//! [`container`]: the kind of container that this process runs in, if any.

use crate::root::Root;

const BY_GROUP: &[(&str, &str)] = &[
    ("kubepods", "kubernetes"),
    ("docker", "docker"),
    ("libpod", "podman"),
    ("lxc", "lxc"),
    ("containerd", "containerd"),
    ("machine.slice", "systemd-nspawn"),
];

/// Names of container managers, with the name shown here.
const BY_MANAGER: &[(&str, &str)] = &[
    ("docker", "docker"),
    ("podman", "podman"),
    ("oci", "container"),
    ("lxc", "lxc"),
    ("lxc-libvirt", "lxc"),
    ("systemd-nspawn", "systemd-nspawn"),
    ("rkt", "rkt"),
    ("wsl", "wsl"),
];

/// Numbers of the kernel's first namespaces (`include/linux/proc_ns.h`): others mean a container.
const FIRST: &[(&str, &str)] = &[("pid", "pid:[4026531836]"), ("cgroup", "cgroup:[4026531835]")];

/// Layered file systems, for root folders of containers.
const LAYERED: &[&str] = &["overlay", "aufs", "fuse.fuse-overlayfs"];

pub(crate) fn container(root: &Root) -> Option<&'static str> {
    if root.has("proc/vz") && !root.has("proc/bc") {
        return Some("openvz");
    }
    if root.line("proc/sys/kernel/osrelease").is_some_and(|release| release.to_lowercase().contains("microsoft")) {
        return Some("wsl");
    }
    let by_manager = ["run/host/container-manager", "run/systemd/container"]
        .iter()
        .filter_map(|path| root.line(path))
        .map(|manager| BY_MANAGER.iter().find(|(name, _)| *name == manager).map_or("container", |(_, shown)| *shown))
        .next();
    if by_manager.is_some() {
        return by_manager;
    }
    // A container's image may have become the disk of a virtual machine: it has the marks, but is none.
    if !is_apart(root) {
        return None;
    }
    let by_mark = [("run/.containerenv", "podman"), (".dockerenv", "docker")];
    let marked = by_mark.iter().find(|(path, _)| root.has(path)).map(|(_, kind)| *kind);
    let by_group = || root.read("proc/self/cgroup").and_then(|groups| of_groups(&groups));
    // Kubernetes leaves Docker's marks, and its own in the groups.
    match by_group() {
        Some("kubernetes") => Some("kubernetes"),
        of_groups => marked.or(of_groups).or(Some("container")),
    }
}

/// Whether the process has namespaces of its own, or a layered root folder.
fn is_apart(root: &Root) -> bool {
    let has_own = FIRST
        .iter()
        .any(|(kind, first)| root.link(&format!("proc/self/ns/{kind}")).is_some_and(|link| link.as_os_str() != *first));
    has_own || root.read("proc/self/mountinfo").is_some_and(|mounts| is_layered(&mounts))
}

/// `27 1 254:0 / / rw,relatime - ext4 /dev/vda rw`: the fifth field is the mount point, the one after the dash the file
/// system. The last mount at a place is visible.
fn is_layered(mountinfo: &str) -> bool {
    let at_root = |line: &&str| line.split(' ').nth(4) == Some("/");
    let Some((_, file_system)) = mountinfo.lines().rfind(at_root).and_then(|line| line.split_once(" - ")) else {
        return false;
    };
    file_system.split(' ').next().is_some_and(|kind| LAYERED.contains(&kind))
}

fn of_groups(groups: &str) -> Option<&'static str> {
    let paths = || groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    BY_GROUP
        .iter()
        .find(|(name, _)| {
            paths().any(|path| {
                path.split(['/', '-', '.', ':']).any(|part| part == *name) || path.contains(&format!("/{name}"))
            })
        })
        .map(|(_, kind)| *kind)
}

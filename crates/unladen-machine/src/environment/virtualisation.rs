//! The principal type is [`Virtualisation`].

use std::fmt;

use serde::{Serialize, Serializer};

use crate::root::Root;

/// The layers between the measured programs and the hardware.
///
/// It serialises as it is displayed: `none`, `kvm`, `docker`, `docker on kvm`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Virtualisation {
    /// The hypervisor by systemd's name for it; `virtual machine` if unknown.
    pub hypervisor: Option<&'static str>,
    /// The kind of container; `container` if unknown.
    pub container: Option<&'static str>,
}

// === impl Virtualisation ===

impl Virtualisation {
    pub(crate) fn read(root: &Root) -> Self {
        Self { hypervisor: hypervisor(root), container: container(root) }
    }
}

impl fmt::Display for Virtualisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.container, self.hypervisor) {
            (None, None) => f.pad("none"),
            (Some(only), None) | (None, Some(only)) => f.pad(only),
            (Some(container), Some(hypervisor)) => f.pad(&format!("{container} on {hypervisor}")),
        }
    }
}

impl Serialize for Virtualisation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

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

/// The kind of container that this process runs in, if any.
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

const BY_FIRMWARE: &[(&str, &str)] = &[
    ("QEMU", "qemu"),
    ("KVM", "kvm"),
    ("Amazon EC2", "amazon"),
    ("Google Compute Engine", "google"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Apple Virtualization", "apple"),
];

/// Names of hypervisors in leaf 0x40000000 of `CPUID`.
const BY_CPUID: &[(&str, &str)] = &[
    ("KVMKVMKVM", "kvm"),
    ("Linux KVM Hv", "kvm"),
    ("TCGTCGTCGTCG", "qemu"),
    ("VMwareVMware", "vmware"),
    ("Microsoft Hv", "hyper-v"),
    ("XenVMMXenVMM", "xen"),
    ("bhyve bhyve ", "bhyve"),
    ("VBoxVBoxVBox", "virtualbox"),
    (" lrpepyh  vr", "parallels"),
    ("ACRNACRNACRN", "acrn"),
    ("SRESRESRESRE", "sre"),
];

/// By the processor, then the firmware, then the kernel: the most exact source comes first.
pub(crate) fn hypervisor(root: &Root) -> Option<&'static str> {
    let has_flag = root.read("proc/cpuinfo").is_some_and(|content| is_flagged(&content));
    let told = by_cpuid(root, has_flag).or_else(|| by_firmware(root)).or_else(|| by_kernel(root));
    told.or(has_flag.then_some("virtual machine"))
}

/// The flag of x86 processors that a hypervisor sets.
fn is_flagged(cpuinfo: &str) -> bool {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "flags")
        .is_some_and(|(_, flags)| flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"))
}

/// The leaf is defined only if the flag is set.
fn by_cpuid(root: &Root, has_flag: bool) -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if has_flag && root.is_this_machine() {
        let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
        let signature = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
        return named(BY_CPUID, &String::from_utf8_lossy(&signature));
    }
    let _ = (root, has_flag);
    None
}

fn by_firmware(root: &Root) -> Option<&'static str> {
    ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"]
        .iter()
        .filter_map(|name| root.line(&format!("sys/class/dmi/id/{name}")))
        .find_map(|line| named(BY_FIRMWARE, &line))
}

fn by_kernel(root: &Root) -> Option<&'static str> {
    if root.line("sys/hypervisor/type").is_some_and(|kind| kind == "xen") {
        // The first domain has the hardware, and is hardly slower for it.
        let is_first = root.line("proc/xen/capabilities").is_some_and(|can| can.contains("control_d"));
        return (!is_first).then_some("xen");
    }
    let compatible = root.line("proc/device-tree/hypervisor/compatible")?;
    Some(match compatible.as_str() {
        "linux,kvm" => "kvm",
        "vmware" => "vmware",
        name if name.contains("xen") => "xen",
        _ => "virtual machine",
    })
}

fn named(names: &[(&str, &'static str)], text: &str) -> Option<&'static str> {
    names.iter().find(|(beginning, _)| text.starts_with(beginning)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests;

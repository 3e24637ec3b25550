//! [`hypervisor`]: the hypervisor that runs this kernel, if any.

use crate::root::Root;

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

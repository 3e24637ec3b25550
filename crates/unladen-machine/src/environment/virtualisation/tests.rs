use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;

use super::*;

/// A machine of nothing but these files.
fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        put(folder.path(), path, content);
    }
    let root = Root::at(folder.path());
    (folder, root)
}

fn put(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn namespace(folder: &Path, kind: &str, number: &str) {
    fs::create_dir_all(folder.join("proc/self/ns")).unwrap();
    symlink(format!("{kind}:[{number}]"), folder.join("proc/self/ns").join(kind)).unwrap();
}

fn said(files: &[(&str, &str)]) -> String {
    let (_folder, root) = machine(files);
    Virtualisation::read(&root).to_string()
}

const FLAGS: (&str, &str) = ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
const NO_FLAG: (&str, &str) = ("proc/cpuinfo", "processor\t: 0\nmodel name\t: hypervisor\nflags\t\t: fpu vme\n");

#[test]
fn hardware_is_none() {
    assert_eq!(said(&[NO_FLAG]), "none");
    assert_eq!(said(&[NO_FLAG, ("sys/class/dmi/id/sys_vendor", "Dell Inc.\n")]), "none");
}

#[test]
fn hypervisors_are_told_by_firmware() {
    for (file, content, name) in [
        ("sys_vendor", "QEMU\n", "qemu"),
        ("product_name", "VMware Virtual Platform\n", "vmware"),
        ("product_version", "Hyper-V UEFI Release v4.1\n", "hyper-v"),
        ("product_name", "HVM domU\n", "virtual machine"),
        ("bios_vendor", "Xen\n", "xen"),
        ("sys_vendor", "Amazon EC2\n", "amazon"),
    ] {
        let path = format!("sys/class/dmi/id/{file}");
        assert_eq!(said(&[FLAGS, (&path, content)]), name, "{content}");
    }
}

#[test]
fn a_machine_without_firmware_says_at_least_that_it_is_virtual() {
    assert_eq!(said(&[FLAGS]), "virtual machine");
}

#[test]
fn the_first_domain_of_xen_has_the_hardware() {
    let xen = ("sys/hypervisor/type", "xen\n");
    assert_eq!(said(&[xen]), "xen");
    assert_eq!(said(&[xen, ("proc/xen/capabilities", "control_d\n")]), "none");
}

#[test]
fn boards_tell_by_their_device_tree() {
    assert_eq!(said(&[("proc/device-tree/hypervisor/compatible", "linux,kvm\0")]), "kvm");
}

#[test]
fn a_container_on_a_virtual_machine_is_both() {
    let (folder, root) = machine(&[FLAGS, ("sys/class/dmi/id/sys_vendor", "QEMU\n"), (".dockerenv", "")]);
    namespace(folder.path(), "pid", "4026532345");
    assert_eq!(Virtualisation::read(&root).to_string(), "docker on qemu");
    assert_eq!(serde_json::to_value(Virtualisation::read(&root)).unwrap(), "docker on qemu");
}

/// The image of a container, copied to the disk of a small virtual machine, still has `/.dockerenv`.
#[test]
fn an_image_that_became_a_disk_is_no_container() {
    let mounts =
        ("proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw - ext4 /dev/vda rw\n");
    let (folder, root) = machine(&[FLAGS, (".dockerenv", ""), mounts]);
    namespace(folder.path(), "pid", "4026531836");
    namespace(folder.path(), "cgroup", "4026531835");
    assert_eq!(Virtualisation::read(&root).to_string(), "virtual machine");
}

#[test]
fn a_root_folder_of_layers_is_a_container_even_with_the_hosts_namespaces() {
    let mounts = ("proc/self/mountinfo", "513 437 0:71 / / rw,relatime - overlay overlay rw,lowerdir=/a\n");
    assert_eq!(said(&[mounts]), "container");
    assert_eq!(said(&[mounts, ("run/.containerenv", "engine=\"podman-4.3.1\"\n")]), "podman");
}

#[test]
fn kinds_of_containers_are_told_by_their_groups() {
    for (groups, kind) in [
        ("0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-0a.scope\n", "kubernetes"),
        ("12:cpu:/docker/0a1b\n", "docker"),
        ("0::/system.slice/docker-0a1b.scope\n", "docker"),
        ("0::/machine.slice/libpod-0a1b.scope/container\n", "podman"),
        ("4:memory:/lxc/web\n", "lxc"),
        ("0::/lxc.payload.web/init.scope\n", "lxc"),
        ("0::/user.slice/user-0.slice\n", "container"),
    ] {
        let (folder, root) = machine(&[("proc/self/cgroup", groups)]);
        namespace(folder.path(), "pid", "4026532345");
        assert_eq!(Virtualisation::read(&root).to_string(), kind, "{groups}");
    }
}

#[test]
fn managers_that_say_who_they_are_are_believed() {
    assert_eq!(said(&[("run/systemd/container", "lxc\n")]), "lxc");
    assert_eq!(said(&[("run/host/container-manager", "something new\n")]), "container");
    assert_eq!(said(&[("proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n")]), "wsl");
    assert_eq!(said(&[("proc/vz/version", "")]), "openvz");
}

proptest! {
    #[test]
    fn whatever_the_files_say_the_answer_is_one_of_ours(
        cpuinfo in "(.|\n){0,80}", vendor in ".{0,20}", groups in "(.|\n){0,80}", mounts in "(.|\n){0,80}",
    ) {
        let said = said(&[
            ("proc/cpuinfo", &cpuinfo),
            ("sys/class/dmi/id/sys_vendor", &vendor),
            ("proc/self/cgroup", &groups),
            ("proc/self/mountinfo", &mounts),
        ]);
        prop_assert!(!said.contains(|c: char| c.is_control()) && said.len() < 40, "{said}");
    }
}

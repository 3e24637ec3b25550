use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_version_is_two_numbers() {
    for (release, verdict) in [
        ("6.1.0-25-amd64", Verdict::Ok),
        ("5.8.0", Verdict::Ok),
        ("5.7.19", Verdict::Missing),
        ("4.18.0-553.el8.x86_64", Verdict::Missing),
        ("10.0-rc1", Verdict::Ok),
        ("", Verdict::Limited),
    ] {
        assert_eq!(version(release).verdict, verdict, "{release}");
    }
}

#[test]
fn version_1_alone_is_not_enough() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
    let look = |mounts: &str| {
        std::fs::write(root.path().join("proc/self/mountinfo"), mounts).unwrap();
        control_groups(&Asked::at(root.path()))[0].verdict
    };
    assert_eq!(look("30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"), Verdict::Limited);
    assert_eq!(look("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), Verdict::Ok);
}

#[test]
fn a_container_sees_itself_alone() {
    let docker = Virtualisation { hypervisor: Some("kvm"), container: Some("docker") };
    assert_eq!(of_virtualisation(&docker).what, "a container (docker on kvm)");
    assert_eq!(of_virtualisation(&Virtualisation { container: None, ..docker }).verdict, Verdict::Ok);
    assert_eq!(of_virtualisation(&Virtualisation::default()).verdict, Verdict::Ok);
}

#[test]
fn its_folder_tells() {
    let root = tempfile::tempdir().unwrap();
    let look = || systemd(&Asked::at(root.path()))[0].verdict;
    assert_eq!(look(), Verdict::Limited);
    std::fs::create_dir_all(root.path().join("run/systemd/system")).unwrap();
    assert_eq!(look(), Verdict::Ok);
}

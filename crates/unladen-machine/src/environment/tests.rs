use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

/// A machine of which nothing can be read is still described.
#[test]
fn nothing_is_known_of_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::read(&Root::at(folder.path()), 3);
    assert_eq!(environment.processors, 3);
    assert_eq!((environment.kernel, environment.cpu, environment.memory_bytes), (None, None, None));
    assert_eq!(environment.virtualisation, Virtualisation::default());
}

#[test]
fn this_machine_says_what_it_is() {
    let environment = Environment::of_this_machine();
    assert!(environment.kernel.is_some_and(|release| release.starts_with(|c: char| c.is_ascii_digit())));
    assert!(environment.memory_bytes.is_some_and(|bytes| bytes > 1 << 20));
    assert!(environment.host.is_some());
}

#[test]
fn it_serialises_as_the_documents_have_it() {
    let environment = Environment {
        host: Some("vm".into()),
        kernel: Some("6.1.0".into()),
        cpu: None,
        processors: 2,
        processor_quota: Some(1.5),
        virtualisation: Virtualisation { hypervisor: Some("kvm"), container: None },
        memory_bytes: Some(1024),
        load_1m: Some(0.25),
        software: vec![Software { name: "nginx".into(), version: Some("1.22.1".into()) }],
    };
    let expected = serde_json::json!({
        "kernel": "6.1.0", "cpu": null, "processors": 2, "processor_quota": 1.5, "virtualisation": "kvm",
        "memory_bytes": 1024, "load_1m": 0.25, "software": [{"name": "nginx", "version": "1.22.1"}],
    });
    assert_eq!(serde_json::to_value(&environment).unwrap(), expected);
}

proptest! {
    #[test]
    fn memory_is_read_back(kib in 0..u64::MAX / 1024) {
        let meminfo = format!("MemTotal:       {kib} kB\nMemFree:  5 kB\n");
        prop_assert_eq!(memory_bytes(&meminfo), Some(kib * 1024));
    }

    #[test]
    fn no_content_makes_the_readers_panic(content in "(.|\n){0,80}") {
        let _ = memory_bytes(&content);
        let _ = memory_bytes(&format!("MemTotal:{content}"));
        prop_assert!(load_1m(&content).is_none_or(|load| load >= 0.0));
    }
}

#[test]
fn a_name_that_a_hypervisor_gave_is_told_apart_by_family_and_model() {
    let cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) \
                   Processor\n\nprocessor\t: 1\nmodel name\t: another\n";
    assert_eq!(named(cpuinfo).as_deref(), Some("Intel(R) Xeon(R) Processor, family 6 model 207"));
}

#[test]
fn other_architectures_name_theirs_otherwise() {
    let arm = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n";
    assert_eq!(named(arm).as_deref(), Some("ARM implementer 0x41 part 0xd0c"));
    let power = "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n";
    assert_eq!(named(power).as_deref(), Some("POWER9 (architected), altivec supported"));
    assert_eq!(named("processor: 0\nmodel name :\n"), None);
}

#[test]
fn a_board_is_named_where_its_processor_is_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("proc/device-tree")).unwrap();
    std::fs::write(folder.path().join("proc/cpuinfo"), "processor: 0\n").unwrap();
    std::fs::write(folder.path().join("proc/device-tree/model"), "A Board 5\0").unwrap();
    assert_eq!(model(&Root::at(folder.path())).as_deref(), Some("A Board 5"));
}

proptest! {
    #[test]
    fn whatever_the_file_says_a_name_has_no_line_break(content in "(.|\n){0,200}") {
        prop_assert!(named(&content).is_none_or(|name| !name.contains('\n') && !name.is_empty()));
    }
}

fn put(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn the_smallest_quota_on_the_way_up_holds() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "proc/self/cgroup", "0::/a.slice/b.service\n");
    put(folder.path(), "sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n");
    put(folder.path(), "sys/fs/cgroup/a.slice/b.service/cpu.max", "max 100000\n");
    assert_eq!(quota(&Root::at(folder.path())), Some(1.5));
    put(folder.path(), "sys/fs/cgroup/a.slice/b.service/cpu.max", "50000 100000\n");
    assert_eq!(quota(&Root::at(folder.path())), Some(0.5));
}

#[test]
fn a_container_sees_its_own_group_as_the_root() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "proc/self/cgroup", "0::/\n");
    put(folder.path(), "sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_eq!(quota(&Root::at(folder.path())), Some(2.0));
}

#[test]
fn version_1_writes_it_in_two_files() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/limited\n0::/\n");
    put(folder.path(), "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put(folder.path(), "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_eq!(quota(&Root::at(folder.path())), None);
    put(folder.path(), "sys/fs/cgroup/cpu/limited/cpu.cfs_quota_us", "25000\n");
    put(folder.path(), "sys/fs/cgroup/cpu/limited/cpu.cfs_period_us", "100000\n");
    assert_eq!(quota(&Root::at(folder.path())), Some(0.25));
}

#[test]
fn a_path_out_of_the_groups_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "proc/self/cgroup", "0::/../../secret\n");
    put(folder.path(), "sys/secret/cpu.max", "50000 100000\n");
    assert_eq!(quota(&Root::at(folder.path())), None);
}

proptest! {
    #[test]
    fn a_quota_is_a_positive_number(quota in "[0-9a-z -]{0,12}", period in "[0-9a-z -]{0,12}") {
        prop_assert!(cfs(&quota, &period).is_none_or(|quota| quota > 0.0 && quota.is_finite()));
        let line = format!("{quota} {period}");
        prop_assert!(max(&line).is_none_or(|quota| quota > 0.0));
    }

    #[test]
    fn quotas_are_read_back(quota in 1_000..10_000_000_u64, period in 1_000..1_000_000_u64) {
        prop_assert_eq!(max(&format!("{quota} {period}")), Some(quota as f64 / period as f64));
    }
}

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

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

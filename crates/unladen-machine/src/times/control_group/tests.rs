use super::*;
use proptest::prelude::*;

const MOUNTS: &[u8] = b"24 1 0:22 / /proc rw - proc proc rw\n\
    30 24 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n\
    31 24 0:27 /docker/7f /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
    32 24 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

#[test]
fn the_groups_above_are_looked_at_too() {
    let files = own_files(MOUNTS, b"4:cpuset:/x\n0::/system.slice/ci.service\n");
    let expected = ["system.slice/ci.service/", "system.slice/", ""]
        .map(|level| PathBuf::from(format!("/sys/fs/cgroup/unified/{level}cpu.stat")));
    assert_eq!(files, expected);
}

#[test]
fn a_container_sees_its_part_of_a_v1_hierarchy() {
    let files = own_files(MOUNTS, b"5:cpu,cpuacct:/docker/7f/job\n4:cpuset:/docker/7f\n");
    assert_eq!(
        files,
        ["/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "/sys/fs/cgroup/cpu,cpuacct/cpu.stat"].map(PathBuf::from)
    );
    assert!(own_files(MOUNTS, b"5:cpu,cpuacct:/elsewhere\n0::/../other\n").is_empty());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(mountinfo in ".{0,200}", cgroup in ".{0,200}", bytes: Vec<u8>) {
        let _ = own_files(mountinfo.as_bytes(), cgroup.as_bytes());
        let _ = own_files(MOUNTS, cgroup.as_bytes());
        let _ = own_files(&bytes, &bytes);
        let _ = throttled_ns(&bytes);
    }
}

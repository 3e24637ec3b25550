use super::*;
use crate::doctor::row::Verdict;

#[test]
fn version_1_alone_is_not_enough() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
    let look = |mounts: &str| {
        std::fs::write(root.path().join("proc/self/mountinfo"), mounts).unwrap();
        ControlGroups.look(&Asked::at(root.path()))[0].verdict
    };
    assert_eq!(look("30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"), Verdict::Limited);
    assert_eq!(look("30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), Verdict::Ok);
}

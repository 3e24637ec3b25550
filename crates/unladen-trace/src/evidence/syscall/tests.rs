use super::*;

#[test]
fn shared_memory_is_a_place_for_files() {
    for path in ["/dev", "/dev/null", "/dev/pts/3", "/dev/shmem", "/proc/self/stat", "/sys/fs/cgroup/cpu.stat"] {
        assert!(is_kernels(path), "{path}");
    }
    for path in ["/dev/shm", "/dev/shm/sessions/sess_1", "/developers/a.php", "/system", "dev/null", ""] {
        assert!(!is_kernels(path), "{path}");
    }
}

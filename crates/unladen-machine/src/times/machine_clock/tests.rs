use super::*;

/// A machine of files.
struct Fake(tempfile::TempDir);

impl Fake {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn clock(&self) -> MachineClock {
        MachineClock::open_at(&Places { proc: self.0.path().join("proc"), sys: self.0.path().join("sys") })
    }

    /// Both processors' ticks: busy, idle, stolen.
    fn stat(&self, busy: u64, idle: u64, stolen: u64) {
        self.write("proc/stat", &format!("cpu  {busy} 0 0 {idle} 0 0 0 {stolen} 0 0\ncpu0 1\ncpu1 1\nintr 5\n"));
    }
}

#[test]
fn what_grew_between_two_readings_is_told() {
    let fake = Fake::new();
    let group = fake.0.path().join("groups");
    fake.write("proc/self/mountinfo", &format!("30 24 0:26 / {} rw - cgroup2 cgroup2 rw\n", group.display()));
    fake.write("proc/self/cgroup", "0::/slice/job\n");
    fake.write("groups/cpu.stat", "usage_usec 5\n");
    fake.write("groups/slice/cpu.stat", "usage_usec 5\nthrottled_usec 1000\n");
    fake.write("groups/slice/job/cpu.stat", "usage_usec 5\nthrottled_usec 500\n");
    fake.write("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "2000000\n");
    fake.write("sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq", "3000000\n");
    fake.write("proc/pressure/cpu", "some avg10=0 total=1000\n");
    fake.stat(1_000, 5_000, 100);
    let mut clock = fake.clock();
    let before = clock.read();
    fake.stat(1_030, 5_100, 110);
    fake.write("proc/pressure/cpu", "some avg10=0 total=4000\n");
    fake.write("groups/slice/cpu.stat", "usage_usec 5\nthrottled_usec 4000\n");
    fake.write("sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq", "2000000\n");
    let times = clock.read().since(&before);
    assert_eq!((times.busy, times.stolen), (Duration::from_millis(300), Duration::from_millis(100)));
    assert_eq!(times.waited, Some(Duration::from_millis(3)));
    assert_eq!(times.throttled, Duration::from_millis(3), "the group above was held back, and this one with it");
    assert_eq!(times.frequency_hz, Some((2_000_000_000, 2_500_000_000)));
    assert_eq!(times.available, times.elapsed * 2);
    assert!((times.stolen_of_wanted() - 0.25).abs() < 1e-12);
}

#[test]
fn what_a_kernel_does_not_tell_is_left_out() {
    let fake = Fake::new();
    fake.stat(10, 10, 10);
    let mut clock = fake.clock();
    let before = clock.read();
    // A counter that went back, as iowait can.
    fake.stat(5, 5, 20);
    let times = clock.read().since(&before);
    assert_eq!((times.busy, times.stolen), (Duration::ZERO, Duration::from_millis(100)));
    assert_eq!((times.waited, times.frequency_hz, times.throttled), (None, None, Duration::ZERO));
    let mut nothing = MachineClock::open_at(&Places { proc: "/nonexistent".into(), sys: "/nonexistent".into() });
    let before = nothing.read();
    let times = nothing.read().since(&before);
    assert_eq!((times.busy, times.stolen, times.stolen_share()), (Duration::ZERO, Duration::ZERO, 0.0));
}

#[test]
fn this_machine_tells_of_its_processors() {
    let mut clock = MachineClock::open();
    let before = clock.read();
    let mut x = 0_u64;
    while before.at().elapsed() < Duration::from_millis(50) {
        x = std::hint::black_box(x.wrapping_add(1));
    }
    let times = clock.read().since(&before);
    assert!(times.elapsed >= Duration::from_millis(50) && times.available >= times.elapsed, "{times:?}");
    assert!(times.busy + times.stolen > Duration::ZERO, "a processor was kept busy: {times:?}");
}

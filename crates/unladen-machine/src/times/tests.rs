use proptest::prelude::*;

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

#[test]
fn the_mean_is_of_those_that_tell() {
    let contents: [&[u8]; 3] = [b"2000000\n", b"<unknown>\n", b"3000000\n"];
    assert_eq!(mean_hz(contents.into_iter()), Some(2_500_000_000));
    assert_eq!(mean_hz(std::iter::empty()), None);
    assert_eq!(mean_hz([u64::MAX.to_string().as_bytes()].into_iter()), None);
}

#[test]
fn a_file_without_the_line_tells_nothing() {
    assert_eq!(some_pressure_ns(b"full avg10=0.00 total=5\n"), None);
    assert_eq!(some_pressure_ns(b"some avg10=0.00\n"), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = some_pressure_ns(&[b"some total=".as_slice(), &bytes].concat());
        let _ = some_pressure_ns(&bytes);
    }
}

#[test]
fn steal_is_the_eighth_field_and_guests_are_users() {
    let stat = b"cpu  1628605 81001 299190 467551 13745 11 12822 2089 500 7\n\
                 cpu0 805747 40065 143026 254216 3572 0 4206 1061 0 0\n\
                 cpu1 822857 40935 156164 213335 10173 0 8615 1028 0 0\nintr 22065582 0\n";
    let times = ProcessorTimes::parse(stat).unwrap();
    let busy = (1_628_605 + 81_001 + 299_190 + 11 + 12_822) * TICK_NS;
    let idle = (467_551 + 13_745) * TICK_NS;
    assert_eq!(times, ProcessorTimes { busy_ns: busy, idle_ns: idle, stolen_ns: 2_089 * TICK_NS, processors: 2 });
}

#[test]
fn a_kernel_without_steal_has_none() {
    let times = ProcessorTimes::parse(b"cpu 5 0 0 9\n").unwrap();
    assert_eq!((times.busy_ns, times.stolen_ns, times.processors), (5 * TICK_NS, 0, 1));
    assert_eq!(ProcessorTimes::parse(b""), None);
    assert_eq!(ProcessorTimes::parse(b"intr 5\n"), None);
}

proptest! {
    #[test]
    fn no_bytes_make_times_panic(bytes: Vec<u8>) {
        let _ = ProcessorTimes::parse(&bytes);
        let _ = ProcessorTimes::parse(&[b"cpu ".as_slice(), &bytes].concat());
    }

    #[test]
    fn numbers_as_large_as_they_come_do_not_overflow(fields in prop::collection::vec(any::<u64>(), 0..12)) {
        let line = fields.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        let times = ProcessorTimes::parse(format!("cpu  {line}\n").as_bytes()).unwrap();
        let stolen = fields.get(7).copied().unwrap_or(0);
        prop_assert_eq!(times.stolen_ns, stolen.saturating_mul(TICK_NS));
    }
}

fn seconds(elapsed: u64, busy: u64, stolen: u64) -> MachineTimes {
    let of = Duration::from_secs;
    MachineTimes {
        elapsed: of(elapsed),
        available: of(elapsed * 2),
        busy: of(busy),
        stolen: of(stolen),
        ..Default::default()
    }
}

#[test]
fn steal_is_told_of_all_time_and_of_the_time_that_was_wanted() {
    let times = seconds(10, 3, 1);
    assert!((times.stolen_share() - 0.05).abs() < 1e-12);
    assert!((times.stolen_of_wanted() - 0.25).abs() < 1e-12);
    assert_eq!(MachineTimes::default().stolen_share(), 0.0);
    assert_eq!(times.pressure_share(), None);
}

#[test]
fn stretches_add_up() {
    let waited = MachineTimes { waited: Some(Duration::from_secs(2)), frequency_hz: Some((2, 3)), ..seconds(4, 1, 1) };
    let slower = MachineTimes { frequency_hz: Some((1, 2)), ..seconds(4, 3, 1) };
    let sum = waited.plus(slower);
    assert_eq!((sum.elapsed, sum.busy), (Duration::from_secs(8), Duration::from_secs(4)));
    assert_eq!((sum.waited, sum.frequency_hz), (Some(Duration::from_secs(2)), Some((1, 3))));
    assert!((sum.pressure_share().unwrap() - 0.25).abs() < 1e-12);
}

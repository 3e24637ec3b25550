use super::*;
use proptest::prelude::*;

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
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
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

use super::*;

#[test]
fn the_own_clock_advances_and_a_missing_process_has_none() {
    let pid = i32::try_from(std::process::id()).unwrap();
    let before = process_cpu_ns(pid).unwrap();
    let mut x = 0_u64;
    while process_cpu_ns(pid).unwrap() < before + 2_000_000 {
        x = std::hint::black_box(x.wrapping_add(1));
    }
    assert!(thread_cpu_ns() > 0);
    // Above the largest pid that Linux gives out (2²²).
    assert_eq!(process_cpu_ns(1 << 23), None);
}

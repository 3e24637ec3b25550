use proptest::prelude::*;

use super::*;

const LINE: &[u8] =
    b"4242 (php-fpm: pool (w) x) S 17 4242 4242 0 -1 4194624 1200 30 4 5 150 60 7 8 20 0 3 0 998877 1 2 3\n";

#[test]
fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
    let stat = Stat::parse(LINE).unwrap();
    assert_eq!(stat.comm, "php-fpm: pool (w) x");
    assert_eq!((stat.ppid, stat.minor_faults, stat.major_faults), (17, 1200, 4));
    assert_eq!((stat.user_ticks, stat.system_ticks, stat.children_ticks), (150, 60, 15));
    assert_eq!((stat.threads, stat.start, stat.kernel_thread), (3, 998_877, false));
}

#[test]
fn a_line_cut_short_is_refused() {
    for length in 0..LINE.len() - 8 {
        assert_eq!(Stat::parse(&LINE[..length]).filter(|stat| stat.start == 998_877), None, "{length}");
    }
}

#[test]
fn times_beyond_all_measure_do_not_overflow() {
    let line = format!("1 (x) S 0 0 0 0 0 0 0 0 0 0 0 0 {0} {0} 0 0 1 0 5", i64::MAX);
    let stat = Stat::parse(line.as_bytes()).unwrap();
    assert_eq!((stat.children_ticks, stat.start), (i64::MAX as u64, 5));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = Stat::parse(&bytes);
    }
}

#[test]
fn the_cancelled_writes_are_not_taken_for_writes() {
    let content =
        b"rchar: 10\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 50\nwrite_bytes: 60\ncancelled_write_bytes: 70\n";
    let io = Io::parse(content).unwrap();
    assert_eq!((io.read_bytes, io.disk_read_bytes, io.disk_write_bytes, io.write_calls), (10, 50, 60, 4));
    assert_eq!(Io::parse(b"rchar: 10\n"), None);
}

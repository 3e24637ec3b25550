use proptest::prelude::*;

use super::*;

fn raw(kernel: &[u64], user: &[u64]) -> Vec<u8> {
    let mut raw = 7_u64.to_ne_bytes().to_vec();
    for number in [1, 2, 3, 4, kernel.len() as u32 * 8, user.len() as u32 * 8] {
        raw.extend(number.to_ne_bytes());
    }
    raw.extend(b"php-fpm8.2\0\0\0\0\0\0");
    raw.extend(kernel.iter().chain(user).flat_map(|address| address.to_ne_bytes()));
    raw
}

#[test]
fn what_is_written_is_read() {
    let read = sample(&raw(&[10, 11], &[20, 21, 22])).unwrap();
    let expected = StackSample {
        at_ns: 7,
        pid: 1,
        tid: 2,
        parent: 3,
        uid: 4,
        comm: "php-fpm8.2".into(),
        kernel: vec![10, 11],
        user: vec![20, 21, 22],
    };
    assert_eq!(read, expected);
}

#[test]
fn a_sample_without_frames_is_one() {
    let read = sample(&raw(&[], &[])).unwrap();
    assert!(read.kernel.is_empty() && read.user.is_empty());
}

#[test]
fn a_cut_sample_is_none() {
    let whole = raw(&[10], &[20]);
    assert!((0..whole.len()).all(|length| sample(&whole[..length]).is_none()));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = sample(&bytes);
    }
}

#[test]
fn lists_of_processors() {
    assert_eq!(listing("0-3,5\n"), Some(vec![0, 1, 2, 3, 5]));
    assert_eq!(listing("0\n"), Some(vec![0]));
    for wrong in ["", "x", "0-", "-1", "0-4000000000", "3;4"] {
        assert_eq!(listing(wrong), None, "{wrong:?}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    use nix::libc;
    let told = |errno| clock_refusal(&io::Error::from_raw_os_error(errno), 997).to_string();
    assert!(told(libc::EACCES).contains("CAP_PERFMON"));
    assert!(told(libc::EINVAL).contains("perf_event_max_sample_rate"));
    assert!(told(libc::EMFILE).contains("ulimit"));
}

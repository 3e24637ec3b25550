use super::*;

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
    let told = |errno| refusal(&io::Error::from_raw_os_error(errno), 997).to_string();
    assert!(told(libc::EACCES).contains("CAP_PERFMON"));
    assert!(told(libc::EINVAL).contains("perf_event_max_sample_rate"));
    assert!(told(libc::EMFILE).contains("ulimit"));
}

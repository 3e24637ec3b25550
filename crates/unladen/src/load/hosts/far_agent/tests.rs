use super::*;

/// The version of HTTP that a host named was printed as it came, and a phase planned by a latency of centuries.
#[test]
fn what_a_host_said_of_its_first_request_was_believed() {
    let took = Duration::from_millis(5);
    assert_eq!(sampled("HTTP/1.1", 3_000_000, took), ("HTTP/1.1".to_owned(), Duration::from_millis(3)));
    assert_eq!(sampled("\x1b[2J\x1b]0;x\x07", u64::MAX, took), (" [2J ]0;x ".to_owned(), took));
    assert_eq!(sampled(&"x".repeat(99), 0, took).0.len(), LONGEST_VERSION);
}

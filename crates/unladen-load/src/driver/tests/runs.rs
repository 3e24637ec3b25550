use super::server::{HELLO, Server, hang, read_request, send};
use super::*;
use crate::schedule::End;

#[test]
fn a_tally_adds_up() {
    let server = Server::answering(HELLO);
    let mut driver = start(DriverConfig { concurrency: 3, ..config(get(&server)) });
    let tally = run(&mut driver, 30).unwrap();
    assert_eq!((tally.requests, tally.ended, tally.abandoned, tally.unsent), (30, End::Requests, 0, 0));
    assert_eq!(tally.latencies_ns.len(), 30);
    assert_eq!((tally.body_bytes, tally.bytes_received), (150, 30 * HELLO.len() as u64));
    assert!(tally.bytes_sent > 30 * 50, "{}", tally.bytes_sent);
    assert!(tally.last_done.unwrap() <= Instant::now());
}

#[test]
fn nothing_is_sent_after_the_end() {
    let server = Server::answering(HELLO);
    let tally = driver(&server).run(0, Stop { until: Instant::now(), max_requests: None }, &Cancel::new()).unwrap();
    assert_eq!((tally.requests, tally.ended, server.connections()), (0, End::Until, 0));
    assert_eq!(tally.last_done, None);
}

#[test]
fn requests_under_way_at_the_end_are_waited_for() {
    let server = Server::new(|_, mut stream| {
        read_request(&mut stream);
        thread::sleep(Duration::from_millis(200));
        send(&mut stream, HELLO);
        hang(&mut stream);
    });
    let stop = Stop::after(Duration::from_millis(100));
    let tally = driver(&server).run(0, stop, &Cancel::new()).unwrap();
    assert_eq!((tally.requests, tally.abandoned, tally.ended), (1, 0, End::Until));
    assert!(tally.last_done.unwrap() > stop.until);
}

#[test]
fn a_rate_is_kept() {
    let server = Server::answering(HELLO);
    let mut driver = start(DriverConfig { rate: Some(1_000.0), concurrency: 2, ..config(get(&server)) });
    let start = Instant::now();
    let tally = run(&mut driver, 50).unwrap();
    assert_eq!((tally.requests, tally.unsent), (50, 0));
    assert!(tally.last_done.unwrap() >= start + Duration::from_millis(49), "the last one is planned then");
}

#[test]
fn a_stalled_server_does_not_slow_the_schedule_unseen() {
    let server = Server::new(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            thread::sleep(Duration::from_millis(120));
            send(&mut stream, HELLO);
        }
    });
    let mut driver = start(DriverConfig { rate: Some(100.0), ..config(get(&server)) });
    let tally = driver.run(0, Stop::after(Duration::from_millis(200)), &Cancel::new()).unwrap();
    // Twenty are due, fewer if the run begins late; one worker can send two.
    assert!(tally.requests <= 2 && tally.requests + tally.unsent <= 20, "{tally:?}");
    assert!(tally.requests == 0 || tally.unsent > 0, "{tally:?}");
    if tally.requests == 2 {
        let latest = tally.latencies_ns[1];
        assert!(latest > 200_000_000, "planned at 10 ms, sent at 120 ms, done at 240 ms: {latest}");
    }
}

//! The relay, with real sockets on both sides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const DELAY: Duration = Duration::from_millis(10);
const ROUND_TRIP: Duration = Duration::from_millis(20);
/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Times are measured with nothing beside them that this file could keep still.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Before a service of the test's own.
struct Relay {
    _turn: MutexGuard<'static, ()>,
    child: Child,
    at: SocketAddr,
    counts: SocketAddr,
}

impl Relay {
    fn before(service: SocketAddr) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, counts) = (free(), free());
        let child = Command::new(env!("CARGO_BIN_EXE_relay"))
            .args(["--delay", "10", "--counts", &counts.to_string(), &format!("{at}={service}")])
            .spawn()
            .expect("it starts");
        let relay = Self { _turn: turn, child, at, counts };
        let begun = Instant::now();
        while TcpStream::connect(counts).is_err() {
            assert!(begun.elapsed() < PATIENCE, "it does not listen");
            thread::sleep(Duration::from_millis(5));
        }
        relay
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at).expect("it accepts");
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Connections, bytes to the service, bytes to the clients.
    fn counts(&self) -> [u64; 3] {
        let lines = BufReader::new(TcpStream::connect(self.counts).unwrap()).lines();
        let numbers: Vec<u64> = lines.map(|line| line.unwrap().split(' ').nth(1).unwrap().parse().unwrap()).collect();
        numbers.try_into().expect("three of them")
    }

    /// KiB of its memory.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody has.
fn free() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

/// A service that does this with each connection.
fn service(serve: impl Fn(TcpStream) + Copy + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            thread::spawn(move || serve(stream));
        }
    });
    at
}

/// Says back what it is told.
fn echo(mut stream: TcpStream) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        if stream.write_all(&buffer[..length]).is_err() {
            return;
        }
    }
}

/// How long the answer takes to one byte.
fn ask(stream: &mut TcpStream) -> Duration {
    let begun = Instant::now();
    stream.write_all(b"?").unwrap();
    stream.read_exact(&mut [0]).unwrap();
    begun.elapsed()
}

/// Nothing may ever come early. Others who have the processor make it late; one that is so by less than a flight tells
/// enough.
fn is_about(what: &str, exact: Duration, attempt: impl Fn() -> Vec<Duration>) {
    let mut seen = Vec::new();
    for _ in 0..10 {
        let least = attempt().into_iter().min().unwrap();
        assert!(least >= exact, "{what}: {least:?} is less than {exact:?}");
        seen.push(least);
        if least < exact + DELAY {
            return;
        }
    }
    panic!("{what}: {seen:?}, not {exact:?}");
}

#[test]
fn an_open_connection_costs_a_round_trip_a_request_and_a_new_one_two() {
    let relay = Relay::before(service(echo));
    is_about("over an open connection", ROUND_TRIP, || {
        let mut stream = relay.connect();
        ask(&mut stream);
        (0..10).map(|_| ask(&mut stream)).collect()
    });
    is_about("over a new connection", 2 * ROUND_TRIP, || {
        let over_a_new_one = |_| {
            let begun = Instant::now();
            ask(&mut relay.connect());
            begun.elapsed()
        };
        (0..5).map(over_a_new_one).collect()
    });
}

#[test]
fn who_waits_before_it_sends_has_its_connection_by_then() {
    let relay = Relay::before(service(echo));
    is_about("after the handshake", ROUND_TRIP, || {
        let after_a_while = |_| {
            let mut stream = relay.connect();
            thread::sleep(ROUND_TRIP + DELAY / 2);
            ask(&mut stream)
        };
        (0..5).map(after_a_while).collect()
    });
}

#[test]
fn a_service_that_speaks_first_is_heard_after_a_round_trip() {
    let relay = Relay::before(service(|mut stream| stream.write_all(b"220 hello").unwrap()));
    is_about("the service's first word", ROUND_TRIP, || {
        let first_word = |_| {
            let begun = Instant::now();
            relay.connect().read_exact(&mut [0; 9]).unwrap();
            begun.elapsed()
        };
        (0..5).map(first_word).collect()
    });
}

/// Each message holds when it was sent, and is sent straight too: what both ways are late by is the machine's. Of each
/// fifty, the one that is least late tells: others who have the processor hold up some, but what the relay would hold
/// up for those before comes to all, and to the last ones most.
#[test]
fn a_thousand_messages_a_second_are_each_late_by_the_delay() {
    const MESSAGES: u64 = 500;
    let zero = Instant::now();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let relay = Relay::before(listener.local_addr().unwrap());
    let receiving = |mut receiver: TcpStream| {
        thread::spawn(move || {
            let mut times = Vec::new();
            let mut stamp = [0; 8];
            while receiver.read_exact(&mut stamp).is_ok() {
                times.push(zero.elapsed() - Duration::from_nanos(u64::from_le_bytes(stamp)));
            }
            times
        })
    };
    let least = |times: &[Duration]| -> Vec<Duration> {
        assert_eq!(times.len() as u64, MESSAGES);
        // Those of the connection's first round trip waited for it.
        times[100..].chunks(50).map(|some| *some.iter().min().unwrap()).collect()
    };
    let mut seen: Vec<Duration> = Vec::new();
    for _ in 0..10 {
        let mut far = relay.connect();
        let at_far = receiving(listener.accept().unwrap().0);
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        near.set_nodelay(true).unwrap();
        let at_near = receiving(listener.accept().unwrap().0);
        let begun = Instant::now();
        for number in 0..MESSAGES {
            thread::sleep((begun + Duration::from_millis(number)).saturating_duration_since(Instant::now()));
            let stamp = u64::try_from(zero.elapsed().as_nanos()).unwrap().to_le_bytes();
            near.write_all(&stamp).unwrap();
            far.write_all(&stamp).unwrap();
        }
        drop((near, far));
        let (far, near) = (at_far.join().unwrap(), at_near.join().unwrap());
        assert!(far.iter().all(|late| *late >= DELAY), "one came early");
        // Straight, one thread has to wake up; by the relay, two.
        let more = least(&far).into_iter().zip(least(&near)).map(|(far, near)| far.saturating_sub(DELAY + 2 * near));
        seen = match seen.is_empty() {
            true => more.collect(),
            false => more.zip(&seen).map(|(more, seen)| more.min(*seen)).collect(),
        };
        if seen.iter().all(|more| *more <= Duration::from_micros(300)) {
            return;
        }
    }
    panic!("by the relay, beyond the delay and twice what it is straight: {seen:?}");
}

/// Bytes that tell where they are.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7]).collect()
}

#[test]
fn large_bodies_pass_whole_both_ways_at_once_and_are_counted() {
    const LENGTH: usize = 50_000_000;
    let relay = Relay::before(service(echo));
    let mut stream = relay.connect();
    let sent = pattern(LENGTH);
    let mut writer = stream.try_clone().unwrap();
    let copy = sent.clone();
    let writing = thread::spawn(move || {
        writer.write_all(&copy).unwrap();
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut came = Vec::with_capacity(LENGTH);
    stream.read_to_end(&mut came).unwrap();
    writing.join().unwrap();
    assert!(came == sent, "{} bytes came, or others", came.len());
    assert_eq!(relay.counts(), [1, LENGTH as u64, LENGTH as u64]);
    assert!(relay.peak() < 64 << 10, "{} KiB", relay.peak());
}

#[test]
fn who_is_not_read_has_to_wait_and_holds_a_bounded_memory() {
    let relay = Relay::before(service(|stream| {
        thread::sleep(PATIENCE);
        drop(stream);
    }));
    let mut passed = 0;
    for _ in 0..4 {
        let mut stream = relay.connect();
        stream.set_write_timeout(Some(Duration::from_millis(700))).unwrap();
        let chunk = vec![7; 1 << 20];
        loop {
            match stream.write(&chunk) {
                Ok(length) => passed += length,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
                    break;
                }
            }
            assert!(passed < 1 << 30, "it takes in everything");
        }
        // It stays open, and full.
        std::mem::forget(stream);
    }
    assert!(relay.peak() < 40 << 10, "{} KiB after {passed} bytes", relay.peak());
    // Those who are stuck stop nobody else.
    let mut stream = relay.connect();
    stream.write_all(b"x").unwrap();
    let before = relay.counts()[1];
    thread::sleep(5 * DELAY);
    assert_eq!(relay.counts()[1], before + 1);
}

#[test]
fn an_end_of_sending_is_passed_on_and_the_answer_still_comes() {
    let relay = Relay::before(service(|mut stream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        stream.write_all(format!("{} bytes", all.len()).as_bytes()).unwrap();
    }));
    let mut stream = relay.connect();
    stream.write_all(b"hello").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "5 bytes");
}

fn reset(stream: TcpStream) {
    let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    nix::sys::socket::setsockopt(&stream, nix::sys::socket::sockopt::Linger, &linger).unwrap();
}

#[test]
fn a_reset_by_the_service_reaches_the_client_after_what_was_sent_before_it() {
    let relay = Relay::before(service(|mut stream| {
        stream.read_exact(&mut [0]).unwrap();
        stream.write_all(b"half an ans").unwrap();
        // What it has read all of is not what resets it.
        reset(stream);
    }));
    let mut stream = relay.connect();
    stream.write_all(b"?").unwrap();
    stream.read_exact(&mut [0; 11]).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn a_reset_by_the_client_reaches_the_service() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let relay = Relay::before(listener.local_addr().unwrap());
    let mut stream = relay.connect();
    stream.write_all(b"?").unwrap();
    let (mut served, _) = listener.accept().unwrap();
    served.set_read_timeout(Some(PATIENCE)).unwrap();
    served.read_exact(&mut [0]).unwrap();
    let begun = Instant::now();
    reset(stream);
    assert_eq!(served.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert!(begun.elapsed() >= DELAY);
}

/// Also where the client has ended its sending before, and is not read any more.
#[test]
fn a_client_that_goes_away_amid_an_answer_resets_the_service() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let relay = Relay::before(listener.local_addr().unwrap());
    let mut stream = relay.connect();
    stream.write_all(b"?").unwrap();
    let (mut served, _) = listener.accept().unwrap();
    served.set_write_timeout(Some(PATIENCE)).unwrap();
    served.read_exact(&mut [0]).unwrap();
    drop(stream);
    let begun = Instant::now();
    let failed = loop {
        if let Err(error) = served.write_all(b"still here?") {
            break error.kind();
        }
        assert!(begun.elapsed() < PATIENCE, "it takes in an answer for nobody");
        thread::sleep(Duration::from_millis(1));
    };
    assert!(matches!(failed, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{failed:?}");
}

#[test]
fn where_nobody_listens_the_client_is_reset_after_a_round_trip() {
    let relay = Relay::before(free());
    let begun = Instant::now();
    let mut stream = relay.connect();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert!(begun.elapsed() >= ROUND_TRIP, "{:?}", begun.elapsed());
}

#[test]
fn many_connections_come_and_go() {
    let relay = Relay::before(service(echo));
    for _ in 0..10 {
        let mut streams: Vec<_> = (0..100).map(|_| relay.connect()).collect();
        for stream in &mut streams {
            stream.write_all(b"?").unwrap();
        }
        for stream in &mut streams {
            stream.read_exact(&mut [0]).unwrap();
        }
    }
    assert_eq!(relay.counts(), [1_000, 1_000, 1_000]);
    // What has been closed is closed here too, in time.
    let open = || std::fs::read_dir(format!("/proc/{}/fd", relay.child.id())).unwrap().count();
    let begun = Instant::now();
    while open() > 20 {
        assert!(begun.elapsed() < PATIENCE, "{} descriptors are open", open());
        thread::sleep(Duration::from_millis(5));
    }
}

use unladen_trace::{Event, Object, Peer, Protocol, Socket, Unseen, Way, What};

use super::*;
use crate::follow::step::Step;

const MARK: &[u8] = b"4pUsHzb1c2d3";

/// A moment of a process: which way, over which socket, accepted or to whom, and what.
fn went(pid: u32, way: Way, id: u64, to: Option<&str>, payload: &[u8]) -> Event {
    let peer = match to {
        Some(path) if path.starts_with('/') => Peer::Unix(path.as_bytes().to_vec()),
        Some(address) => Peer::Ip(address.parse().unwrap()),
        None => Peer::Unix(Vec::new()),
    };
    let socket = Socket { id, datagram: false, accepted: to.is_none(), peer };
    let (result, payload) = (payload.len() as i64, payload.to_vec());
    let what = What::Transfer { way, fd: 3, object: Object::Socket(socket), result, payload, took_ns: 1 };
    Event { at_ns: 1, pid, tid: pid, group: 0, what }
}

fn marked() -> Vec<u8> {
    [b"GET / HTTP/1.1\r\nX-Unladen-Abc: ", MARK, b"\r\n\r\n"].concat()
}

/// Of a machine on which these listen: a web server (10), an application's master (20) and its workers (21, 22), a
/// database (30, and 31 for a client).
fn at(address: &Address) -> Option<&'static [u32]> {
    match address.to_string().as_str() {
        "127.0.0.1:80" => Some(&[10]),
        "/run/app.sock" => Some(&[20, 21, 22]),
        "/run/db.sock" => Some(&[30, 31]),
        "/run/hidden.sock" => Some(&[]),
        _ => None,
    }
}

fn step(events: &[Event]) -> Step {
    Step::of(events, MARK, &first(), at)
}

fn route(steps: &[Step]) -> Route {
    Step::route(steps, &first(), |address| at(address).map(<[u32]>::to_vec))
}

fn first() -> Vec<Address> {
    vec![Address::Tcp("127.0.0.1:80".parse().unwrap())]
}

/// From the web server to the application and its database.
fn through() -> Vec<Event> {
    vec![
        went(10, Way::In, 1, None, b"GET"),
        went(10, Way::Out, 2, Some("/run/app.sock"), &marked()),
        went(21, Way::In, 3, None, b"GET"),
        went(21, Way::Out, 4, Some("/run/db.sock"), b"Q\0\0\0\x0dSELECT 1\0"),
        went(31, Way::In, 5, None, b"Q"),
        went(31, Way::Out, 5, None, b"T"),
        went(21, Way::In, 4, Some("/run/db.sock"), b"T"),
        went(21, Way::Out, 3, None, b"200"),
        went(10, Way::In, 2, Some("/run/app.sock"), b"200"),
        went(10, Way::Out, 1, None, b"200"),
    ]
}

fn stations(route: &Route) -> Vec<(String, Vec<u32>)> {
    route.stations.iter().map(|station| (station.address.to_string(), station.pids.clone())).collect()
}

#[test]
fn who_takes_it_and_whom_they_ask() {
    let route = route(&[step(&through()), step(&through())]);
    let expected = [("127.0.0.1:80", vec![10]), ("/run/app.sock", vec![21]), ("/run/db.sock", vec![31])];
    assert_eq!(stations(&route), expected.map(|(at, pids)| (at.to_owned(), pids)));
    assert!(route.beyond.is_empty() && route.unknown.is_none(), "{route:?}");
}

#[test]
fn what_a_site_sends_for_other_requests_is_not_on_the_path() {
    let mut events = through();
    // Another request came in meanwhile, and went to another application.
    events.insert(1, went(10, Way::In, 8, None, b"GET"));
    events.insert(2, went(10, Way::Out, 9, Some("127.0.0.1:9000"), b"GET /other HTTP/1.1\r\n\r\n"));
    events.insert(3, went(10, Way::In, 9, Some("127.0.0.1:9000"), b"200"));
    let route = route(&[step(&events), step(&events)]);
    assert_eq!(route.stations.len(), 3, "{route:?}");
    assert!(route.beyond.is_empty(), "{route:?}");
}

#[test]
fn a_peer_of_another_host_is_named() {
    let mut events = through();
    events.insert(4, went(21, Way::Out, 7, Some("10.0.0.5:5432"), b"Q\0\0\0\x0dSELECT 1\0"));
    events.insert(5, went(21, Way::In, 7, Some("10.0.0.5:5432"), b"T"));
    events.insert(6, went(21, Way::Out, 8, Some("/run/hidden.sock"), b"x"));
    events.insert(7, went(21, Way::In, 8, Some("/run/hidden.sock"), b"y"));
    let route = route(&[step(&events), step(&events)]);
    let told: Vec<_> = route.beyond.iter().map(|beyond| (beyond.peer.as_str(), beyond.protocol, beyond.why)).collect();
    assert_eq!(
        told,
        [
            ("10.0.0.5:5432", Protocol::Postgres, Unseen::Elsewhere),
            ("/run/hidden.sock", Protocol::Other, Unseen::Hidden)
        ]
    );
}

#[test]
fn who_was_asked_once_without_a_mark_was_asked_for_something_else() {
    let mut once = through();
    once.insert(4, went(21, Way::Out, 7, Some("10.0.0.5:5432"), b"x"));
    once.insert(5, went(21, Way::In, 7, Some("10.0.0.5:5432"), b"y"));
    assert!(route(&[step(&through()), step(&once), step(&through())]).beyond.is_empty());
}

#[test]
fn a_worker_that_was_started_for_it_took_it() {
    let mut events = vec![Event { at_ns: 1, pid: 20, tid: 20, group: 0, what: What::Fork { child: 29 } }];
    events.extend(through().into_iter().map(|event| if event.pid == 21 { Event { pid: 29, ..event } } else { event }));
    let route = route(&[step(&events)]);
    assert_eq!(route.stations[1].pids, [29]);
}

#[test]
fn nobody_was_seen_to_take_it() {
    // io_uring, say.
    let events: Vec<Event> = through().into_iter().filter(|event| event.pid == 10).collect();
    let route = route(&[step(&events)]);
    assert_eq!((route.stations[1].pids.as_slice(), route.stations[1].seen), (&[20, 21, 22][..], false));
}

#[test]
fn a_mark_over_a_socket_without_a_name_is_told() {
    let handed = Socket { id: 4, datagram: false, accepted: false, peer: Peer::Unix(Vec::new()) };
    let what = What::Transfer {
        way: Way::Out,
        fd: 3,
        object: Object::Socket(handed),
        result: marked().len() as i64,
        payload: marked(),
        took_ns: 1,
    };
    let events = vec![
        went(10, Way::In, 1, None, b"GET"),
        Event { at_ns: 1, pid: 10, tid: 10, group: 0, what },
        went(10, Way::Out, 1, None, b"200"),
    ];
    assert_eq!(route(&[step(&events)]).beyond[0].why, Unseen::Nameless);
}

/// Each of 24 requests lost events, and the route that was half seen was told as whole.
#[test]
fn lost_events_left_the_path_known() {
    let mut looks = Looks::default();
    looks.add(true, 0);
    for _ in 0..23 {
        looks.add(false, 2);
    }
    assert!(!looks.are_enough());
    assert!(looks.unknown().unwrap().why.starts_with("46 events were lost"), "{looks:?}");
    for _ in 0..3 {
        looks.add(false, 0);
    }
    assert!(looks.are_enough() && looks.unknown().is_none());
}

#[test]
fn who_turns_up_late_is_looked_at_as_often() {
    let mut looks = Looks::default();
    for is_wider in [false, false, true, false, false] {
        looks.add(is_wider, 0);
    }
    assert_eq!(looks.unknown().unwrap().why, "each request went to a different process");
}

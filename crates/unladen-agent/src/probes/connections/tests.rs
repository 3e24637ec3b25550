use std::net::{TcpListener, TcpStream};

use unladen_probe::GroupBy;

use super::*;

#[test]
fn who_listens_and_whom_a_process_asks_are_told_by_their_groups() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = TcpStream::connect(address).unwrap();
    let (_taken, _) = listener.accept().unwrap();
    let instrument = Instrument::open(GroupBy::Pid).unwrap();
    let connections = Connections::of(&instrument);
    let own = instrument.groups().position(|(_, group)| group.kind == unladen_probe::GroupKind::Own).unwrap() as u32;
    let free: SocketAddr = "127.0.0.1:1".parse().unwrap();
    assert_eq!(connections.takers(&[address, free]), [vec![own], vec![]]);
    let found = connections.asked(&[own, u32::MAX]);
    assert!(found.contains(&address), "{found:?}");
    assert!(!found.contains(&asked.local_addr().unwrap()), "it was taken: {found:?}");
}

/// Each look read the table of a network once for each process: an agent was busy for a minute, and its answer late.
#[test]
fn a_networks_table_is_read_once_a_look_and_no_look_begins_when_time_is_over() {
    let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let _asked = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let own = std::process::id();
    let mut read = 0;
    let far = Instant::now() + Duration::from_secs(600);
    asked_by(&[own, own, own, child.id()], far, |_| {
        read += 1;
        None
    });
    assert_eq!(read, 2 * LOOKS);
    let mut late = 0;
    let over = Instant::now();
    asked_by(&[own], over, |_| {
        late += 1;
        None
    });
    assert_eq!(late, 0);
    child.kill().unwrap();
    child.wait().unwrap();
}

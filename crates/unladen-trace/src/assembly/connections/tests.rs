use super::*;

/// Those who ask a server over UDP are as many as they like.
#[test]
fn peers_that_are_remembered_are_bounded() {
    let mut connections = Connections::default();
    let moment = Moment { phase: 0, request: 0 };
    for number in 0..MAX_KEYS as u32 + 10 {
        let peer = Peer::Ip((std::net::Ipv4Addr::from(number), 443).into());
        let socket = Socket { id: 1, datagram: false, accepted: false, peer };
        connections.connect((1, 7, 0), &socket, -(Errno::ECONNREFUSED as i32), 1, moment);
    }
    assert_eq!((connections.seen.len(), connections.dropped()), (MAX_KEYS, 10));
}

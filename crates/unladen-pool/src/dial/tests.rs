use std::net::TcpListener;
use std::time::Instant;

use socket2::{Domain, Socket as RawSocket, Type};

use super::*;

const LONG: Duration = Duration::from_secs(10);

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Where nobody listens.
fn refused() -> SocketAddr {
    listener().1
}

/// Where packets are dropped: a listener whose backlog is full. What fills it is held with it.
fn stuck() -> (RawSocket, Vec<RawSocket>, SocketAddr) {
    let listener = RawSocket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let waiting = (0..4)
        .map(|_| {
            let socket = RawSocket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_nonblocking(true).unwrap();
            let _ = socket.connect(&address);
            socket
        })
        .collect();
    (listener, waiting, address.as_socket().unwrap())
}

async fn peer_of(addresses: Vec<SocketAddr>) -> io::Result<SocketAddr> {
    match dial(&Address::Tcp(addresses), LONG).await? {
        Socket::Tcp(stream) => stream.peer_addr(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_connection_sends_at_once_and_is_probed() {
    let (_listener, address) = listener();
    let Socket::Tcp(stream) = dial(&Address::Tcp(vec![address]), LONG).await.unwrap() else { panic!() };
    assert!(stream.nodelay().unwrap());
    let socket = SockRef::from(&stream);
    assert!(socket.keepalive().unwrap());
    assert_eq!(socket.tcp_keepalive_time().unwrap(), KEEP_ALIVE_AFTER);
    assert_eq!(socket.tcp_keepalive_interval().unwrap(), KEEP_ALIVE_EVERY);
    assert_eq!(socket.tcp_keepalive_retries().unwrap(), KEEP_ALIVE_PROBES);
}

#[tokio::test]
async fn an_address_that_refuses_is_passed_by_at_once() {
    let (_listener, address) = listener();
    let began = Instant::now();
    assert_eq!(peer_of(vec![refused(), refused(), address]).await.unwrap(), address);
    assert!(began.elapsed() < ATTEMPT_DELAY, "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_address_that_is_silent_is_passed_by_after_a_while() {
    let (_listener, address) = listener();
    let (_silent, _waiting, silent) = stuck();
    let began = Instant::now();
    assert_eq!(peer_of(vec![silent, address]).await.unwrap(), address);
    assert!(began.elapsed() >= ATTEMPT_DELAY && began.elapsed() < 4 * ATTEMPT_DELAY, "{:?}", began.elapsed());
}

#[tokio::test]
async fn one_that_is_only_late_may_still_win() {
    let (silent, mut waiting, late) = stuck();
    let (_other, _others_waiting, other) = stuck();
    // Accepting makes room for what is sent again, a second after the first time.
    waiting.clear();
    let accept = std::thread::spawn(move || {
        std::thread::sleep(ATTEMPT_DELAY);
        for _ in 0..2 {
            silent.accept().unwrap();
        }
    });
    assert_eq!(peer_of(vec![late, other]).await.unwrap(), late, "it is not given up when the next is tried");
    accept.join().unwrap();
}

#[tokio::test]
async fn if_all_fail_what_somebody_answered_is_told() {
    let refused = refused();
    let error = peer_of(vec![refused]).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    assert!(error.to_string().starts_with(&refused.to_string()), "{error}");
    // TCP has no way to all hosts at once.
    let nowhere = SocketAddr::from(([255, 255, 255, 255], 9));
    for addresses in [vec![refused, nowhere], vec![nowhere, refused]] {
        assert_eq!(peer_of(addresses).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
    assert_eq!(peer_of(vec![nowhere, nowhere]).await.unwrap_err().kind(), io::ErrorKind::NetworkUnreachable);
    assert_eq!(peer_of(vec![]).await.unwrap_err().kind(), io::ErrorKind::AddrNotAvailable);
}

#[tokio::test]
async fn it_takes_no_longer_than_it_may() {
    let (_silent, _waiting, silent) = stuck();
    let began = Instant::now();
    let error = dial(&Address::Tcp(vec![silent]), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(error.to_string().contains(&silent.to_string()), "{error}");
    assert!(began.elapsed() < ATTEMPT_DELAY);
}

#[tokio::test]
async fn unix_sockets_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let error = dial(&Address::Unix(path.clone()), LONG).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("socket"), "{error}");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    assert!(matches!(dial(&Address::Unix(path), LONG).await.unwrap(), Socket::Unix(_)));
}

#[tokio::test]
async fn a_unix_socket_whose_queue_is_full_is_tried_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap();
    listener.bind(&socket2::SockAddr::unix(&path).unwrap()).unwrap();
    listener.listen(0).unwrap();
    let address = Address::Unix(path.clone());
    let _waiting = dial(&address, LONG).await.unwrap();
    let error = dial(&address, Duration::from_millis(60)).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{error}");
    assert!(error.to_string().contains("socket"), "{error}");
    let accept = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        // There is room from now on.
        (listener.accept().unwrap(), listener)
    });
    assert!(matches!(dial(&address, LONG).await.unwrap(), Socket::Unix(_)));
    accept.join().unwrap();
}

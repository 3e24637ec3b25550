use std::net::TcpListener;
use std::os::fd::AsFd;

use super::*;

/// More than fit into one message.
#[test]
fn sockets_arrive_in_order_and_work() {
    let (here, there) = UnixStream::pair().unwrap();
    let listeners: Vec<TcpListener> = (0..BATCH + 7).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    let given = Given { address: "unix:/run/ä".into(), is_ours: true };
    let greeting = Greeting { version: VERSION, sockets: vec![given; listeners.len()], gives: false };
    let fds: Vec<_> = listeners.iter().map(AsFd::as_fd).collect();
    send(&here, &greeting, &fds).unwrap();
    let (received, sockets) = receive(&there).unwrap();
    assert_eq!(received, greeting);
    drop(listeners);
    for (socket, address) in sockets.into_iter().zip(addresses) {
        let listener = TcpListener::from(socket);
        assert_eq!(listener.local_addr().unwrap(), address);
        let _client = std::net::TcpStream::connect(address).unwrap();
        listener.accept().unwrap();
    }
    say(&there, SERVING).unwrap();
    assert_eq!(hear(&here).unwrap(), Some(SERVING));
    drop(there);
    assert_eq!(hear(&here).unwrap(), None);
}

#[test]
fn one_more_socket_comes_if_it_says_so() {
    let (here, there) = UnixStream::pair().unwrap();
    let (legacy, other) = UnixStream::pair().unwrap();
    let greeting = Greeting { version: VERSION, sockets: Vec::new(), gives: true };
    send(&here, &greeting, &[legacy.as_fd()]).unwrap();
    let (received, mut sockets) = receive(&there).unwrap();
    assert!(received.gives && sockets.len() == 1);
    say(&UnixStream::from(sockets.remove(0)), SERVING).unwrap();
    assert_eq!(hear(&other).unwrap(), Some(SERVING));
    // A version from before says nothing of it, and reads what it does not know.
    let old: Greeting = serde_json::from_str("{\"version\":1,\"sockets\":[]}").unwrap();
    assert!(!old.gives);
}

#[test]
fn what_is_none_of_it_is_refused() {
    let refused = |bytes: &[u8]| {
        let (mut here, there) = UnixStream::pair().unwrap();
        here.write_all(bytes).unwrap();
        drop(here);
        receive(&there).unwrap_err().to_string()
    };
    assert!(refused(b"GET / HTTP/1.1\r\n").contains("not `unladen serve`"));
    let of = |text: &str| [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat();
    assert!(refused(&of("{\"version\":9,\"sockets\":[]}")).contains("version 9, this one 1"));
    assert!(
        !refused(&of("{\"version\":1,\"sockets\":[{\"address\":\"\",\"is_ours\":true}]}")).is_empty(),
        "a socket that does not come"
    );
    assert!(!refused(&of("{}")).is_empty());
}

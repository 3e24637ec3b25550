use std::os::unix::net::UnixListener;
use std::sync::mpsc::channel;

use super::*;

/// Whether something listens there was asked by a connection that nobody accepted: it waited for ever, in a reload too.
#[test]
fn a_process_that_hangs_has_its_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let listener = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    listener.bind(&SockAddr::unix(&path).unwrap()).unwrap();
    listener.listen(0).unwrap();
    let mut waiting = Vec::new();
    loop {
        let one = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        one.set_nonblocking(true).unwrap();
        if one.connect(&SockAddr::unix(&path).unwrap()).is_err() {
            break;
        }
        waiting.push(one);
    }
    let (tell, told) = channel();
    let at = path.clone();
    thread::spawn(move || tell.send(unix(&at, 0o600).map(drop)));
    let error = told.recv_timeout(Duration::from_secs(20)).unwrap().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert!(path.exists());
}

#[test]
fn what_a_dead_process_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    drop(UnixListener::bind(&path).unwrap());
    unix(&path, 0o600).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

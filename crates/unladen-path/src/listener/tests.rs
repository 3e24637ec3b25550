use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

#[test]
fn who_listens_is_found_by_path_and_by_port() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a name with blanks.sock");
    let unix = UnixListener::bind(&path).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    // A connection bears the path too, and is none that listens.
    let _client = UnixStream::connect(&path).unwrap();
    let _accepted = unix.accept().unwrap();
    for address in [Address::Unix(path.clone()), Address::Tcp(tcp.local_addr().unwrap())] {
        assert_eq!(listeners(&address).unwrap(), Some(vec![std::process::id()]));
    }
    drop(unix);
    assert_eq!(listeners(&Address::Unix(path)).unwrap(), None);
}

#[test]
fn the_one_that_started_the_others_is_the_master() {
    let parent = |pid| Some(if pid > 10 { 10 } else { 1 });
    assert_eq!(first_of(&[1, 11, 10, 12], parent), Some(10));
    assert_eq!(first_of(&[1], parent), Some(1), "it waits for the first request");
    assert_eq!(first_of(&[], parent), None);
}

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

#[test]
fn descendants_are_all_but_those_of_the_first_process() {
    let family = Family::of([(10, 1), (11, 10), (12, 11), (20, 1)].into_iter());
    let mut all = family.with_descendants(&[10, 1], 100);
    all.sort_unstable();
    assert_eq!(all, [1, 10, 11, 12]);
    assert_eq!(family.with_descendants(&[10], 2).len(), 2);
}

#[test]
fn a_circle_ends() {
    let family = Family::of([(10, 11), (11, 10)].into_iter());
    assert_eq!(family.with_descendants(&[10], 100).len(), 2);
}

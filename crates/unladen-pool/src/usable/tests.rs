use super::*;
use crate::settings::{EndpointAddress, Origin, UpstreamSettings};

#[test]
fn a_socket_that_is_not_there_and_an_endpoint_that_is_unwell_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a.sock", "b.sock"].map(|name| folder.path().join(name));
    let origin = |path: &std::path::Path| Origin {
        at: EndpointAddress::Unix(path.to_owned()),
        tls: false,
        weight: 1,
        authority: "app".to_owned(),
        discovery: None,
    };
    let upstream = Upstream::new(UpstreamSettings::new("app", vec![origin(&first), origin(&second)]), 1).unwrap();
    assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
    // A file that is no socket: nobody can listen at it.
    std::fs::write(&second, "").unwrap();
    let _listens = std::os::unix::net::UnixListener::bind(&first).unwrap();
    assert_eq!(upstream.usable(), Usable { usable: 1, all: 2 });
    upstream.endpoints().endpoints()[0].healthy.store(false, Ordering::Relaxed);
    assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
}

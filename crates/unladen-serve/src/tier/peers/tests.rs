use unladen_pool::{EndpointAddress, Origin, UpstreamSettings};

use super::*;

fn upstream(addresses: &[(&str, u16)]) -> Arc<Upstream> {
    let origin = |(host, port): &(&str, u16)| Origin {
        at: EndpointAddress::Tcp((*host).to_owned(), *port),
        tls: false,
        weight: 1,
        authority: format!("{host}:{port}"),
        discovery: None,
    };
    Upstream::new(UpstreamSettings::new("tier", addresses.iter().map(origin).collect()), 1).unwrap()
}

#[test]
fn a_node_finds_itself_by_its_address_and_a_port_of_a_site() {
    let upstream = upstream(&[("127.0.0.1", 8080), ("127.0.0.1", 8081), ("192.0.2.7", 8080)]);
    let selves = |node: Option<&str>, ports: &[u16]| {
        let peers = Peers::new(node.map(|node| node.parse().unwrap()), ports.to_vec()).now(&upstream);
        peers.iter().map(|peer| peer.is_self).collect::<Vec<_>>()
    };
    assert_eq!(selves(None, &[8080]), [true, false, false]);
    assert_eq!(selves(None, &[80]), [false; 3]);
    assert_eq!(selves(Some("192.0.2.7:8080"), &[8080]), [false, false, true]);
}

#[test]
fn the_list_is_made_once() {
    let upstream = upstream(&[("127.0.0.1", 8080)]);
    let peers = Peers::new(None, Vec::new());
    assert!(Arc::ptr_eq(&peers.now(&upstream), &peers.now(&upstream)));
}

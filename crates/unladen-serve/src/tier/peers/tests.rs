use std::collections::BTreeSet;

use proptest::prelude::*;
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

fn owner<'p>(key: &str, peers: &'p [String]) -> (&'p str, Option<&'p str>) {
    let hashes = peers.iter().map(|peer| hash(peer.as_bytes())).enumerate();
    let (first, second) = highest_two(hash(key.as_bytes()), hashes).unwrap();
    (&peers[first], second.map(|second| peers[second].as_str()))
}

fn nodes(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("10.0.0.{n}:8080")).collect()
}

/// What other nodes, of other versions too, have to come to.
#[test]
fn owners_are_the_same_everywhere() {
    let owned: Vec<_> = (0..8).map(|n| owner(&format!("https://a.example/{n}"), &nodes(5)).0.to_owned()).collect();
    let known = "10.0.0.3:8080 10.0.0.5:8080 10.0.0.1:8080 10.0.0.2:8080 10.0.0.1:8080 10.0.0.1:8080 10.0.0.1:8080 10.0.0.3:8080";
    assert_eq!(owned.join(" "), known);
}

#[test]
fn nobody_owns_anything_where_nobody_is() {
    assert_eq!(highest_two(1, std::iter::empty()), None);
    assert_eq!(highest_two(1, [(7, 9)].into_iter()), Some((7, None)));
}

/// The shares of 20,000 keys: five nodes own a fifth each, within five standard deviations of a fair draw.
#[test]
fn each_owns_as_many_as_the_others() {
    let peers = nodes(5);
    let mut counts = [0_i32; 5];
    for n in 0..20_000 {
        let (first, _) = owner(&format!("http://shop.example/page/{n}"), &peers);
        counts[peers.iter().position(|peer| peer == first).unwrap()] += 1;
    }
    let deviation = (20_000.0 * 0.2 * 0.8_f64).sqrt();
    assert!(counts.iter().all(|count| f64::from(count - 4000).abs() < 5.0 * deviation), "{counts:?}");
}

proptest! {
    #[test]
    fn one_that_goes_moves_its_own_keys_alone(
        names in prop::collection::btree_set("[a-z0-9.:]{1,20}", 2..12),
        keys in prop::collection::vec(".{0,40}", 1..50),
        gone in any::<prop::sample::Index>(),
    ) {
        let peers: Vec<String> = names.into_iter().collect();
        let gone = gone.index(peers.len());
        let left: Vec<String> = peers.iter().enumerate().filter(|(n, _)| *n != gone).map(|(_, name)| name.clone()).collect();
        for key in &keys {
            let (before, second) = owner(key, &peers);
            let (after, _) = owner(key, &left);
            // Whoever was second is asked next, and has been asked before where the page was hot.
            prop_assert_eq!(after, if before == peers[gone] { second.unwrap() } else { before });
        }
    }

    #[test]
    fn the_order_of_the_list_means_nothing(
        names in prop::collection::btree_set("[a-z0-9.:]{1,20}", 1..12),
        key in ".{0,40}",
        turn in any::<prop::sample::Index>(),
    ) {
        let names: BTreeSet<String> = names;
        let peers: Vec<String> = names.into_iter().collect();
        let mut turned = peers.clone();
        turned.rotate_left(turn.index(peers.len()));
        prop_assert_eq!(owner(&key, &peers), owner(&key, &turned));
    }
}

use std::net::{TcpListener, TcpStream};

use super::*;

/// The first address of a name was said to be where a request was seen to go, whoever had answered.
#[test]
fn of_several_addresses_the_one_with_a_connection_is_certain() {
    let [one, two]: [SocketAddr; 2] = ["10.0.0.1:80", "10.0.0.2:80"].map(|text| text.parse().unwrap());
    let told = |addresses: &[SocketAddr], connected: &[SocketAddr]| -> Vec<(SocketAddr, bool)> {
        targets(addresses, connected, None).into_iter().map(|asked| (asked.address, asked.certain)).collect()
    };
    assert_eq!(told(&[one, two], &[two]), [(two, true)]);
    assert_eq!(told(&[one, two], &[]), [(one, false), (two, false)]);
    assert_eq!(told(&[one], &[]), [(one, true)]);
    assert_eq!(told(&[], &[]), []);
}

/// What several hosts had led nowhere, and nobody was told.
#[test]
fn an_address_that_several_hosts_claim_is_told_with_their_names() {
    let host = |name: &str, ips: &[&str]| (name.to_owned(), ips.iter().map(|ip| ip.parse().unwrap()).collect());
    let claims = Claims { hosts: vec![host("db", &["10.0.0.2", "172.17.0.1"]), host("evil", &["172.17.0.1"])] };
    let whose = |ip: &str| claims.host_at(ip.parse().unwrap());
    assert_eq!(whose("::ffff:10.0.0.2"), Claim::Of("db".into()));
    assert_eq!(whose("172.17.0.1"), Claim::Several(vec!["db".into(), "evil".into()]));
    assert_eq!(whose("10.0.0.9"), Claim::Nobody);
}

#[test]
fn only_what_this_process_has_a_connection_to() {
    let [one, two] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [one.local_addr().unwrap(), two.local_addr().unwrap()];
    assert_eq!(connected_to(&addresses), []);
    let _open = TcpStream::connect(addresses[1]).unwrap();
    assert_eq!(connected_to(&addresses), [addresses[1]]);
}

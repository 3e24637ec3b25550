use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn each_client_has_its_own_bound() {
    let clients = Clients::default();
    let first = clients.enter(ip("192.0.2.1"), 2);
    let second = clients.enter(ip("192.0.2.1"), 2);
    assert!(first.is_some() && second.is_some());
    assert!(clients.enter(ip("192.0.2.1"), 2).is_none());
    assert!(clients.enter(ip("192.0.2.2"), 2).is_some());
    drop(first);
    assert!(clients.enter(ip("192.0.2.1"), 2).is_some());
}

#[test]
fn addresses_of_one_network_are_one_client() {
    let clients = Clients::default();
    let first = clients.enter(ip("2001:db8::1"), 1);
    assert!(first.is_some());
    assert!(clients.enter(ip("2001:db8::ffff:2"), 1).is_none());
    assert!(clients.enter(ip("2001:db8:0:1::1"), 1).is_some());
    let mapped = clients.enter(ip("::ffff:192.0.2.7"), 1);
    assert!(mapped.is_some());
    assert!(clients.enter(ip("192.0.2.7"), 1).is_none());
}

#[test]
fn who_has_nothing_under_way_takes_no_memory() {
    let clients = Clients::default();
    for last in 0..=255 {
        drop(clients.enter(IpAddr::from([192, 0, 2, last]), 1));
    }
    assert!(clients.lock().is_empty());
}

use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn settings() -> CrowdSettings {
    CrowdSettings {
        connections: 2,
        network_connections: 3,
        uploads: 1,
        network_uploads: 2,
        rate: Some(0.1),
        network_rate: Some(0.2),
        ..CrowdSettings::default()
    }
}

fn crowd() -> Crowd {
    Crowd::new(&settings(), 1, None)
}

fn is_empty(crowd: &Crowd) -> bool {
    lock(&crowd.counts.clients).is_empty() && lock(&crowd.counts.networks).is_empty()
}

#[test]
fn a_client_and_its_network_have_their_bounds() {
    let crowd = crowd();
    let enter = |address: &str| crowd.enter(ip(address), What::Connections);
    let first: Vec<_> = (0..2).map(|_| enter("192.0.2.1").unwrap()).collect();
    assert!(enter("192.0.2.1").is_none());
    let second = enter("192.0.2.2").unwrap();
    assert!(enter("192.0.2.3").is_none(), "its network has three");
    assert!(enter("::ffff:192.0.2.3").is_none());
    let other = enter("192.0.3.1").unwrap();
    assert_eq!(crowd.refused(), 3);
    // What is not a connection counts by itself.
    let upload = crowd.enter(ip("192.0.2.1"), What::Uploads).unwrap();
    assert!(crowd.enter(ip("192.0.2.1"), What::Uploads).is_none());
    assert_eq!(crowd.refused(), 3);
    drop((first, second));
    assert!(enter("192.0.2.3").is_some());
    drop((other, upload));
    assert!(is_empty(&crowd), "who has nothing takes no memory");
}

#[test]
fn addresses_of_one_customer_are_one_client() {
    let crowd = crowd();
    let enter = |address: &str| crowd.enter(ip(address), What::Requests);
    let first = enter("2001:db8::1");
    assert!(first.is_some());
    assert!(enter("2001:db8::ffff:2").is_none());
    assert!(enter("2001:db8:0:1::1").is_some());
    let mapped = enter("::ffff:192.0.2.7");
    assert!(mapped.is_some());
    assert!(enter("192.0.2.7").is_none());
    assert!(enter("192.0.2.8").is_some(), "requests at the application are counted by client alone");
    drop((first, mapped));
    assert!(is_empty(&crowd));
}

#[test]
fn networks_are_as_long_as_is_said() {
    let of = |ipv4, ipv6, address: &str| {
        Crowd::new(&CrowdSettings { ipv4, ipv6, ..CrowdSettings::default() }, 1, None).network(ip(address))
    };
    assert_eq!(of(24, 64, "192.0.2.77"), ip("192.0.2.0"));
    assert_eq!(of(0, 0, "192.0.2.77"), ip("0.0.0.0"));
    assert_eq!(of(32, 128, "192.0.2.77"), ip("192.0.2.77"));
    assert_eq!(of(24, 48, "2001:db8:1:2:3::4"), ip("2001:db8:1::"));
    assert_eq!(of(24, 0, "2001:db8:1:2:3::4"), ip("::"));
    assert_eq!(of(24, 128, "2001:db8:1:2:3::4"), ip("2001:db8:1:2:3::4"));
}

#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_again() {
    let (crowd, now) = (crowd(), Instant::now());
    let ask = |address: &str| crowd.ask(Some(ip(address)), false, now);
    for _ in 0..20 {
        assert!(ask("192.0.2.1").is_ok());
        assert!(crowd.ask(Some(ip("192.0.2.1")), true, now).is_ok(), "what memory answers is not counted");
    }
    assert!(ask("192.0.2.1").unwrap_err() <= Duration::from_secs(10));
    assert!(ask("192.0.2.2").is_err(), "its network has had its part");
    assert!(ask("198.51.100.1").is_ok());
    assert!(crowd.ask(None, false, now).is_ok());
}

#[test]
fn what_is_there_does_not_go_with_the_settings() {
    let before = crowd();
    let connection = before.enter(ip("192.0.2.1"), What::Connections).unwrap();
    let now = Instant::now();
    while before.ask(Some(ip("192.0.2.1")), false, now).is_ok() {}
    // Its network is another one now.
    let after = Crowd::new(&CrowdSettings { connections: 1, ipv4: 16, ..settings() }, 1, Some(&before));
    assert!(after.enter(ip("192.0.2.1"), What::Connections).is_none());
    assert!(after.ask(Some(ip("192.0.2.1")), false, now).is_err());
    assert_eq!(before.refused(), 1);
    drop(connection);
    assert!(is_empty(&after));
    assert!(after.enter(ip("192.0.2.1"), What::Connections).is_some());
    let faster = Crowd::new(&CrowdSettings { rate: Some(1.0), network_rate: None, ..settings() }, 1, Some(&after));
    assert!(faster.ask(Some(ip("192.0.2.1")), false, now).is_ok());
}

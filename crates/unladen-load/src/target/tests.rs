use super::*;

const WITHIN: Duration = Duration::from_secs(20);

fn target(url: &str) -> Target {
    Target::resolve(&url.parse().unwrap(), None, WITHIN).unwrap()
}

#[test]
fn takes_the_port_of_the_scheme() {
    assert_eq!(target("http://127.0.0.1/").addresses(), ["127.0.0.1:80".parse().unwrap()]);
    assert_eq!(target("https://[::1]/").addresses(), ["[::1]:443".parse().unwrap()]);
}

#[test]
fn localhost_is_here_and_each_address_once() {
    let target = target("http://localhost:8080/");
    assert!(target.is_local());
    let mut addresses = target.addresses().to_vec();
    addresses.dedup();
    assert_eq!(addresses, target.addresses());
    assert!(target.to_string().starts_with("localhost:8080 at "), "{target}");
}

#[test]
fn a_documentation_address_is_elsewhere() {
    assert!(!target("http://192.0.2.1/").is_local());
    assert!(!target("http://[2001:db8::1]/").is_local());
    assert!(target("http://[::ffff:127.0.0.1]/").is_local(), "loopback, written as IPv6");
}

#[test]
fn every_interface_is_here() {
    assert!(own_addresses().iter().any(IpAddr::is_loopback));
}

#[test]
fn may_be_overridden() {
    let url = "https://wiki.example/".parse().unwrap();
    let unix = Target::resolve(&url, Some(&ConnectTo::Unix("/run/x.sock".into())), WITHIN).unwrap();
    assert_eq!((unix.to_string(), unix.is_local()), ("unix:/run/x.sock".to_owned(), true));
    let other = Target::resolve(&url, Some(&ConnectTo::Address("127.0.0.1:9".parse().unwrap())), WITHIN).unwrap();
    assert_eq!(other.to_string(), "wiki.example:443 at 127.0.0.1:9");
}

#[test]
fn an_unknown_name_says_so() {
    let url = "http://no-such-host.invalid/".parse().unwrap();
    let error = Target::resolve(&url, None, WITHIN).unwrap_err();
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
}

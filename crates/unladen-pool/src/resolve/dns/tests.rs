use std::net::Ipv4Addr;
use std::str::FromStr;

use hickory_resolver::proto::rr::rdata::{A, SRV};

use super::*;
use crate::tests::testing::Dnsmasq;

fn dns(conf: &str) -> Dns {
    Dns::of_text(conf.as_bytes().to_vec(), Path::new("resolv.conf")).unwrap()
}

fn names(conf: &str, host: &str) -> Vec<String> {
    dns(conf).names(host).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn search_domains_come_before_or_after_the_name_itself() {
    const CONF: &str = "nameserver 127.0.0.1\nsearch a.example b.example\n";
    assert_eq!(names(CONF, "wiki"), ["wiki.a.example.", "wiki.b.example.", "wiki."]);
    assert_eq!(names(CONF, "wiki.de"), ["wiki.de.", "wiki.de.a.example.", "wiki.de.b.example."]);
    assert_eq!(names(CONF, "wiki."), ["wiki."], "a full name is only itself");
    let many_dots = format!("{CONF}options ndots:5\n");
    assert_eq!(
        names(&many_dots, "es.logging.svc"),
        ["es.logging.svc.a.example.", "es.logging.svc.b.example.", "es.logging.svc."]
    );
    let long = ["a"; 124].join(".");
    assert_eq!(names(CONF, &long), [format!("{long}.")], "too long with a domain");
}

#[test]
fn service_names_with_underscores_are_names() {
    assert_eq!(names("nameserver 127.0.0.1\nsearch example\n", "my_service")[0], "my_service.example.");
}

#[test]
fn a_try_takes_two_seconds_at_most() {
    assert_eq!(dns("nameserver 127.0.0.1\n").client.options().timeout, MAX_TRY);
    let hasty = dns("nameserver 127.0.0.1\noptions timeout:1 attempts:4\n");
    assert_eq!(hasty.client.options().timeout, Duration::from_secs(1));
    assert_eq!(hasty.client.options().attempts, 4);
}

#[tokio::test]
async fn the_first_domain_that_has_the_name_is_taken() {
    let server = Dnsmasq::start("192.0.2.1 wiki.a.example\n192.0.2.2 wiki.b.example search.b.example");
    let mut dns = Dns::of_servers(&[server.address]).unwrap();
    dns.search = ["a.example", "b.example"].map(|domain| Name::from_ascii(domain).unwrap()).into();
    for (host, expected) in [("wiki", "192.0.2.1"), ("search", "192.0.2.2")] {
        let answer = dns.lookup(host).await.unwrap();
        assert_eq!(answer.addresses, [expected.parse::<IpAddr>().unwrap()], "{host}");
    }
    assert!(matches!(dns.lookup("absent").await, Err(ResolveError::Failed { .. })), "the last, `absent.`, is refused");
    assert!(matches!(dns.lookup("absent.example").await, Err(ResolveError::NotFound { .. })));
}

#[tokio::test]
async fn a_failure_does_not_lead_to_another_host_of_that_name() {
    let server = Dnsmasq::start("192.0.2.2 wiki.b.example");
    let mut dns = Dns::of_servers(&[server.address]).unwrap();
    dns.search = ["a.test", "b.example"].map(|domain| Name::from_ascii(domain).unwrap()).into();
    assert!(matches!(dns.lookup("wiki").await, Err(ResolveError::Failed { .. })));
    assert_eq!(server.asked("A", "wiki.b.example"), 0);
}

fn srv(ttl: u32, priority: u16, weight: u16, port: u16, target: &str) -> Record {
    let data = SRV::new(priority, weight, port, Name::from_str(target).unwrap());
    Record::from_rdata(Name::from_str("_http._tcp.app.example.").unwrap(), ttl, RData::SRV(data))
}

fn a(ttl: u32, name: &str, last: u8) -> Record {
    Record::from_rdata(Name::from_str(name).unwrap(), ttl, RData::A(A(Ipv4Addr::new(192, 0, 2, last))))
}

#[test]
fn each_record_once_and_only_addresses_of_their_targets() {
    let answers = [srv(30, 1, 5, 80, "B.example."), srv(20, 0, 0, 81, "a.example."), srv(30, 1, 5, 80, "b.example.")];
    let additionals = [a(9, "b.EXAMPLE.", 1), a(7, "b.example.", 2), a(1, "elsewhere.example.", 3)];
    let answer = srv_answer(&answers, &additionals);
    let record = |priority, weight, port, target: &str| SrvRecord { priority, weight, port, target: target.to_owned() };
    assert_eq!(answer.records, [record(0, 0, 81, "a.example."), record(1, 5, 80, "b.example.")]);
    assert_eq!(answer.ttl, Duration::from_secs(20));
    let addresses = vec![Ipv4Addr::new(192, 0, 2, 1).into(), Ipv4Addr::new(192, 0, 2, 2).into()];
    assert_eq!(answer.glue, HashMap::from([("b.example.".to_owned(), (addresses, Duration::from_secs(7)))]));
}

#[test]
fn a_service_that_is_not_there() {
    let answer = srv_answer(&[srv(30, 0, 0, 0, ".")], &[]);
    assert_eq!(answer.records.iter().map(|record| record.target.as_str()).collect::<Vec<_>>(), ["."]);
}

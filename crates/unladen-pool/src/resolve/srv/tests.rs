use std::net::Ipv4Addr;
use std::str::FromStr;

use hickory_resolver::proto::rr::rdata::{A, SRV};

use super::*;

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

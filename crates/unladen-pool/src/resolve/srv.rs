//! The principal type is [`SrvAnswer`]: the SRV records of a service (RFC 2782).

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_resolver::proto::rr::{Name, RData, Record};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SrvAnswer {
    /// Unordered; at least one.
    pub(crate) records: Vec<SrvRecord>,
    pub(crate) ttl: Duration,
    /// Addresses in the additional section, and their shortest lifetime, by the target's name.
    pub(crate) glue: HashMap<String, (Vec<IpAddr>, Duration)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SrvRecord {
    pub(crate) priority: u16,
    pub(crate) weight: u16,
    pub(crate) port: u16,
    /// In lower case, with its final dot; `.` means that there is no such service.
    pub(crate) target: String,
}

pub(super) fn srv_answer(answers: &[Record], additionals: &[Record]) -> SrvAnswer {
    let mut records = Vec::new();
    let mut shortest = None;
    for record in answers {
        // A CNAME that leads to them may have a shorter lifetime.
        shortest = Some(shortest.map_or(record.ttl, |ttl: u32| ttl.min(record.ttl)));
        if let RData::SRV(srv) = &record.data {
            records.push(SrvRecord {
                priority: srv.priority,
                weight: srv.weight,
                port: srv.port,
                target: text(&srv.target),
            });
        }
    }
    records.sort_unstable();
    records.dedup();
    let mut glue: HashMap<String, (Vec<IpAddr>, Duration)> = HashMap::new();
    for record in additionals {
        let (Some(address), target) = (record.data.ip_addr(), text(&record.name)) else { continue };
        if !records.iter().any(|record| record.target == target) {
            // Not a requested name.
            continue;
        }
        let ttl = Duration::from_secs(record.ttl.into());
        let (addresses, shortest) = glue.entry(target).or_insert_with(|| (Vec::new(), ttl));
        addresses.push(address);
        *shortest = ttl.min(*shortest);
    }
    SrvAnswer { records, ttl: Duration::from_secs(shortest.unwrap_or_default().into()), glue }
}

fn text(name: &Name) -> String {
    let mut name = name.to_lowercase();
    name.set_fqdn(true);
    name.to_ascii()
}

#[cfg(test)]
mod tests;

//! A TLS connection that is opened for each request, though one could be kept.

use std::collections::BTreeMap;

use unladen_trace::{ConnectionSeen, Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Series};

use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::rules::peers::{self, LEAST_PER_REQUEST};
use crate::rules::unladen_outbound::{self, Outbound, Outbounds};
use crate::rules::web_server;
use crate::stack::Stack;
use crate::words::many;

const AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Placeholder for a name that was not looked up.
const NO_NAME: &str = "NAME";

/// One service: a name may have several addresses, over which its connections are spread.
struct Service<'a> {
    group: usize,
    name: Option<&'a str>,
    seen: Vec<&'a ConnectionSeen>,
}

pub(super) const RULE: Rule = Rule {
    name: "unpooled-tls",
    about: "each request opens a TLS connection that could be kept",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/unpooled-tls.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let outbounds = Outbounds::of(evidence);
    services(evidence).iter().filter_map(|service| one(evidence, service, &outbounds)).collect()
}

fn one(evidence: &Evidence, service: &Service<'_>, outbounds: &Outbounds<'_>) -> Option<Finding> {
    let handshakes = service.sum(|seen| &seen.handshakes.count);
    let asked = handshakes.less(&service.sum(|seen| &seen.unused));
    let opened = peers::often(evidence, &asked, LEAST_PER_REQUEST)?;
    let asked_part = peers::part(evidence, &asked, &handshakes).unwrap_or(1.0);
    let waits: Vec<&Counted> = service.seen.iter().flat_map(|seen| [&seen.opened, &seen.handshakes]).collect();
    let items = service
        .seen
        .iter()
        .map(|seen| Item { name: seen.peer.clone(), per_request: evidence.mean(&seen.handshakes.count) });
    let connections = many(opened, "new TLS connection", "new TLS connections");
    let takes = Share::of_latency(evidence, peers::time(evidence, &waits).map(|time| time.scaled(asked_part)));
    Some(Finding {
        summary: format!("{connections} per request to {}, 2 round trips each (3 with TLS 1.2)", service.display()),
        figures: vec![Figure { name: "handshakes", unit: "1", value: opened }],
        items: items.collect(),
        saves: saves(evidence, service.group, &takes),
        ..Finding::of(&RULE, evidence, Some(service.group), takes, service.fix(evidence, outbounds))
    })
}

/// A kept connection saves its handshake, and the client's work before its first hello: reading the certificates of all
/// authorities may take more than the rest.
fn saves(evidence: &Evidence, group: usize, takes: &Share) -> Saves {
    /// Upper bound relative to the handshake: 12.8 ± 1.3 ms were proved where it was 6.5 (`make advice`, pledges).
    const AROUND: f64 = 2.0;
    let reads = |file: &&FileSeen| {
        file.group == group
            && file.call == FileCall::Open
            && file.outcome == FileOutcome::Found
            && is_authorities(&file.path)
    };
    let read = Series::sum(evidence.files.iter().filter(reads).map(|file| &file.counted.count));
    if evidence.mean(&read) >= LEAST_PER_REQUEST {
        return Saves::unproved(
            "the client also reads the certificate authorities for each connection; that time is not measured",
        );
    }
    Saves::part_of(takes, AROUND)
}

fn is_authorities(path: &str) -> bool {
    ["ca-certificates.crt", "ca-bundle.crt", "cacert.pem", "/cert.pem"].iter().any(|end| path.ends_with(end))
}

/// TLS to databases belongs to another rule.
fn services(evidence: &Evidence) -> Vec<Service<'_>> {
    let mut services: BTreeMap<(usize, &str, Option<u16>), Service<'_>> = BTreeMap::new();
    for seen in peers::habits(evidence).filter(|seen| !peers::is_database(seen) && !seen.handshakes.count.is_zero()) {
        let name = seen.server_name.as_deref();
        services
            .entry((seen.group, name.unwrap_or(&seen.peer), peers::port(seen)))
            .or_insert(Service { group: seen.group, name, seen: Vec::new() })
            .seen
            .push(seen);
    }
    services.into_values().collect()
}

impl Service<'_> {
    fn sum(&self, of: impl Fn(&ConnectionSeen) -> &Series) -> Series {
        Series::sum(self.seen.iter().map(|seen| of(seen)))
    }

    fn peer(&self) -> &str {
        self.seen.first().map_or("?", |seen| &seen.peer)
    }

    fn display(&self) -> String {
        let more = match self.seen.len() {
            0 | 1 => String::new(),
            several => format!(" and {} more", several - 1),
        };
        let name = self.name.map(|name| format!(" ({name})")).unwrap_or_default();
        format!("{}{more}{name}", self.peer())
    }

    fn address(&self) -> String {
        match (self.name, self.seen.first().and_then(|seen| peers::port(seen))) {
            (Some(name), Some(port)) => format!("{name}:{port}"),
            _ => self.peer().to_owned(),
        }
    }

    fn fix(&self, evidence: &Evidence, outbounds: &Outbounds<'_>) -> Fix {
        let stack = Stack::of(evidence, self.group);
        if stack == Stack::Nginx {
            return self.nginx(evidence, unladen_outbound::trusted(evidence, self.group).unwrap_or(AUTHORITIES));
        }
        let first = self.seen.first();
        let Some(outbound) = first.and_then(|seen| outbounds.at(seen)) else {
            let port = first.and_then(|seen| Some((peers::port(seen)?, unladen_outbound::not_http(seen)?)));
            let spoken = port.map(|(port, spoken)| format!(" (port {port} is {spoken}'s)")).unwrap_or_default();
            return Fix::advice(format!(
                "keep the connection for the life of the process, in a pool as large as its threads{spoken}"
            ));
        };
        let name = match outbound.is_nameless() {
            true => {
                ". server_name must match the service's certificate: the application sends no name, so it is the \
                 address; if the certificate is for a name, write that name"
            }
            false => "",
        };
        let advice = format!(
            "let unladen serve keep the TLS connections: with these lines, {}{name}{}",
            outbound.call(),
            unladen_outbound::without(stack)
        );
        Outbound::fix(advice, &[outbound])
    }

    /// nginx is a proxy itself, and keeps connections where configured to.
    fn nginx(&self, evidence: &Evidence, authorities: &str) -> Fix {
        let upstream = format!("tls-{}", web_server::slug(self.name.unwrap_or(self.peer())));
        let name = self.name.unwrap_or(NO_NAME);
        let advice = format!(
            "let nginx keep TLS connections: this upstream, and in the location, instead of its proxy_pass: \
             proxy_pass https://{upstream}; proxy_http_version 1.1; proxy_set_header Connection \"\"; \
             proxy_ssl_server_name on; proxy_ssl_name {name}; proxy_ssl_protocols TLSv1.2 TLSv1.3; proxy_ssl_verify \
             on; proxy_ssl_verify_depth 3; proxy_ssl_trusted_certificate {authorities};{}",
            match self.name {
                Some(_) => "",
                None =>
                    " Replace NAME with a host name in the service's certificate (nginx does not check addresses): \
                     the application sends none",
            }
        );
        let lines = vec![
            format!("upstream {upstream} {{"),
            format!("    server {};", self.address()),
            "    keepalive 16;".into(),
            "}".into(),
        ];
        web_server::nginx(evidence, Some(self.group), advice, &upstream, lines)
    }
}

#[cfg(test)]
mod tests;

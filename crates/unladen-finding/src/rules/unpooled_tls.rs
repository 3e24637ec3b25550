//! A TLS connection that is opened for each request, where one could be kept.

use std::collections::BTreeMap;

use unladen_trace::{ConnectionSeen, Counted, Evidence, FileCall, Outcome, Series, Source};

use super::front;
use super::peers::{self, LEAST_PER_REQUEST};
use crate::again;
use crate::cure::Cure;
use crate::finding::{Figure, Finding, Item, Share};
use crate::rule::Rule;
use crate::stack::Stack;

/// Where the proxy of the first peer listens; each further one has the next port. Nothing registered is near it, and it lies
/// below the ports that Linux gives to clients (32768 and up).
const FIRST_PORT: usize = 18443;

/// The authorities that Debian trusts.
const AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Of names that were not asked for.
const NO_NAME: &str = "NAME";

/// See `docs/rules/unpooled-tls.md`.
pub(super) struct UnpooledTls;

/// One service: a name may have several addresses, over which its connections are spread.
struct Service<'a> {
    group: usize,
    name: Option<&'a str>,
    seen: Vec<&'a ConnectionSeen>,
}

impl Rule for UnpooledTls {
    fn name(&self) -> &'static str {
        "unpooled-tls"
    }

    fn about(&self) -> &'static str {
        "each request opens a TLS connection that could be kept"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Syscalls]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/unpooled-tls.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        let mut findings = Vec::new();
        for service in services(evidence) {
            findings.extend(self.one(evidence, &service, FIRST_PORT + findings.len()));
        }
        findings
    }
}

impl UnpooledTls {
    fn one(&self, evidence: &Evidence, service: &Service<'_>, port: usize) -> Option<Finding> {
        let handshakes = service.sum(|seen| &seen.handshakes.count);
        let asked = handshakes.less(&service.sum(|seen| &seen.unused));
        let opened = peers::often(evidence, &asked, LEAST_PER_REQUEST)?;
        let asked_part = peers::part(evidence, &asked, &handshakes).unwrap_or(1.0);
        let waits: Vec<&Counted> = service.seen.iter().flat_map(|seen| [&seen.opened, &seen.handshakes]).collect();
        let items = service
            .seen
            .iter()
            .map(|seen| Item { name: seen.peer.clone(), per_request: evidence.mean(&seen.handshakes.count) });
        let connections = peers::so_many(opened, "new TLS connection", "new TLS connections");
        Some(Finding {
            rule: self.name(),
            group: evidence.group(service.group).to_owned(),
            summary: format!("{connections} per request to {}, 2 round trips each (3 with TLS 1.2)", service.display()),
            figures: vec![Figure { name: "handshakes", unit: "1", value: opened }],
            items: items.collect(),
            share: Share::of_latency(evidence, peers::time(evidence, &waits).map(|time| time.scaled(asked_part))),
            cure: service.cure(Stack::of(evidence, service.group), port, trusted(evidence, service.group)),
            check_again: again::weigh(evidence),
        })
    }
}

/// TLS to databases is part of another rule.
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

/// The file of authorities that the application trusts, if it opens one with each connection; else the system's.
fn trusted(evidence: &Evidence, group: usize) -> &str {
    let mut opened = evidence
        .files
        .iter()
        .filter(|file| file.group == group && file.call == FileCall::Open && file.outcome == Outcome::Found)
        .filter(|file| [".pem", ".crt", ".cer"].iter().any(|end| file.path.ends_with(end)))
        // The client's own certificate is none of an authority.
        .filter(|file| !["client", "key"].iter().any(|word| file.path.contains(word)))
        .filter(|file| evidence.mean(&file.counted.requests) >= LEAST_PER_REQUEST)
        .map(|file| file.path.as_str());
    match (opened.next(), opened.next()) {
        (Some(only), None) => only,
        _ => AUTHORITIES,
    }
}

// === impl Service ===

impl Service<'_> {
    fn sum(&self, of: impl Fn(&ConnectionSeen) -> &Series) -> Series {
        Series::sum(self.seen.iter().map(|seen| of(seen)))
    }

    fn peer(&self) -> &str {
        self.seen.first().map_or("?", |seen| &seen.peer)
    }

    /// `10.0.0.5:443 and 2 more (api.example)`
    fn display(&self) -> String {
        let more = match self.seen.len() {
            0 | 1 => String::new(),
            several => format!(" and {} more", several - 1),
        };
        let name = self.name.map(|name| format!(" ({name})")).unwrap_or_default();
        format!("{}{more}{name}", self.peer())
    }

    /// Name and port where they are known, else the address.
    fn address(&self) -> String {
        match (self.name, self.seen.first().and_then(|seen| peers::port(seen))) {
            (Some(name), Some(port)) => format!("{name}:{port}"),
            _ => self.peer().to_owned(),
        }
    }

    fn cure(&self, stack: Stack, port: usize, authorities: &str) -> Cure {
        let address = self.address();
        let host = self.name.unwrap_or(NO_NAME);
        let upstream = format!("tls-{}", front::slug(self.name.unwrap_or(self.peer())));
        let own = stack == Stack::Nginx;
        let host_header = match address.strip_suffix(":443") {
            _ if self.name.is_none() => NO_NAME,
            Some(name) => name,
            None => &address,
        };
        let mut lines =
            vec![format!("upstream {upstream} {{"), format!("    server {address};"), "    keepalive 16;".into()];
        lines.push("}".into());
        let mut proxy = vec![
            format!("proxy_pass https://{upstream};"),
            "proxy_http_version 1.1;".into(),
            "proxy_set_header Connection \"\";".into(),
            format!("proxy_set_header Host {host_header};"),
            "proxy_ssl_server_name on;".into(),
            format!("proxy_ssl_name {host};"),
            "proxy_ssl_protocols TLSv1.2 TLSv1.3;".into(),
            "proxy_ssl_verify on;".into(),
            "proxy_ssl_verify_depth 3;".into(),
            format!("proxy_ssl_trusted_certificate {authorities};"),
        ];
        if own {
            proxy.remove(3);
            let advice = format!(
                "have nginx keep TLS connections: this upstream, and in the location, in place of its proxy_pass: {}",
                proxy.join(" ")
            );
            return front::nginx(advice, &upstream, lines);
        }
        lines.push("server {".into());
        lines.push(format!("    listen 127.0.0.1:{port};"));
        lines.push("    location / {".into());
        lines.extend(proxy.into_iter().map(|line| format!("        {line}")));
        lines.extend(["    }".into(), "}".into()]);
        let php = match stack {
            Stack::Php => {
                ". Without a proxy: one curl handle (one Guzzle client) for all calls of a request; over requests, PHP 8.5 \
                 keeps connections with curl_setopt($handle, CURLOPT_SHARE, \
                 curl_share_init_persistent([CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_DNS]))"
            }
            Stack::Python => ". Without a proxy: one requests.Session or httpx.Client for the life of the process",
            Stack::Perl => ". Without a proxy: one LWP::UserAgent with keep_alive => 16 for the life of the process",
            _ => "",
        };
        let name = match self.name {
            Some(_) => "",
            None => {
                ". NAME stands for a host name in the service's certificate (nginx checks no addresses): none was asked for"
            }
        };
        front::nginx(
            format!(
                "let a proxy on this machine keep the TLS connections: with these lines, call http://127.0.0.1:{port} in \
                 place of https://{host_header}{name}{php}"
            ),
            &upstream,
            lines,
        )
    }
}

#[cfg(test)]
mod tests;

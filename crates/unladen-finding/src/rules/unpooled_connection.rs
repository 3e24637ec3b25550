//! A connection that is opened for each request, though one could be kept.

use unladen_trace::{ConnectionSeen, Evidence, EvidenceSource, Protocol};

use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::rules::peers::{self, LEAST_PER_REQUEST};
use crate::rules::unladen_outbound::{self, Outbound, Outbounds};
use crate::rules::web_server;
use crate::stack::Stack;
use crate::words::many;

/// Upper bound on a connection's cost relative to connecting, which takes 30 µs locally: the socket is created, set up
/// and closed, and the other side accepts it and looks up the peer.
const AROUND: f64 = 4.0;

pub(super) const RULE: Rule = Rule {
    name: "unpooled-connection",
    about: "each request opens a connection that could be kept",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/unpooled-connection.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let outbounds = Outbounds::of(evidence);
    let ours = peers::habits(evidence).filter(|seen| is_ours(seen));
    ours.filter_map(|seen| one(evidence, seen, &outbounds)).collect()
}

fn one(evidence: &Evidence, seen: &ConnectionSeen, outbounds: &Outbounds<'_>) -> Option<Finding> {
    // Connections without queries belong to another rule.
    let asked = seen.opened.count.less(&seen.unused);
    let opened = peers::often(evidence, &asked, LEAST_PER_REQUEST)?;
    let kept = peers::part(evidence, &asked, &seen.opened.count).unwrap_or(1.0);
    let reuse = peers::part(evidence, &seen.reused, &seen.exchanges.count)
        .map(|part| format!("; {:.0} % of exchanges use a kept connection", part * 100.0))
        .unwrap_or_default();
    let connections = many(opened, "connection", "connections");
    let mut figures = vec![Figure { name: "connections", unit: "1", value: opened }];
    figures.extend(evidence.per_request(&seen.reused).map(|value| Figure {
        name: "exchanges_reused",
        unit: "1",
        value,
    }));
    let takes = Share::of_latency(evidence, peers::time(evidence, &[&seen.opened]).map(|time| time.scaled(kept)));
    Some(Finding {
        summary: format!(
            "{} per request to {} ({}), 1 round trip each{reuse}",
            connections.replacen(" connection", " new connection", 1),
            seen.peer,
            peers::spoken(seen.protocol)
        ),
        figures,
        items: vec![Item { name: seen.peer.clone(), per_request: opened.value }],
        saves: Saves::part_of(&takes, AROUND),
        ..Finding::of(&RULE, evidence, Some(seen.group), takes, fix(evidence, seen, outbounds))
    })
}

/// Plain-text TCP, except databases. FastCGI opens a connection a request by design, and Unix sockets cost 30 µs.
fn is_ours(seen: &ConnectionSeen) -> bool {
    peers::is_tcp(seen)
        && seen.handshakes.count.is_zero()
        && matches!(seen.protocol, Protocol::Http | Protocol::Redis | Protocol::Memcached | Protocol::Other)
}

fn fix(evidence: &Evidence, seen: &ConnectionSeen, outbounds: &Outbounds<'_>) -> Fix {
    let stack = Stack::of(evidence, seen.group);
    let advice = match (seen.protocol, stack) {
        (Protocol::Http, Stack::Nginx) => return nginx(evidence, seen),
        (Protocol::Other, Stack::Nginx) => {
            "if it speaks uwsgi or SCGI: nginx keeps no connection to such an application; where both are on this \
             machine, a Unix socket costs less (uwsgi_pass unix:/run/NAME.sock); or let the application speak HTTP, \
             which nginx can keep (uwsgi --http11-socket, and proxy_pass to an upstream with keepalive). If it speaks \
             gRPC: grpc_pass to an upstream with keepalive. `stream` opens one connection for each client connection: \
             keep the clients' connections"
        }
        (Protocol::Http, Stack::Python) => "keep one requests.Session or httpx.Client for the life of the process",
        (Protocol::Http, Stack::Node) => {
            "let one agent keep connections, for all calls: new http.Agent({ keepAlive: true }), passed as `agent`; \
             from Node.js 19 on, http.globalAgent does so by default, and fetch always does"
        }
        (Protocol::Http, _) if let Some(outbound) = outbounds.at(seen) => return proxy(outbound, stack),
        // A local proxy would cost as much again.
        (Protocol::Http, Stack::Php) => {
            "use one curl handle (one Guzzle client) for all calls of a request; over requests, PHP 8.5 keeps connections \
             (curl_share_init_persistent). Before that, a Unix socket costs less where the service can listen at one: \
             CURLOPT_UNIX_SOCKET_PATH, and for unladen serve listen = \"unix:/run/unladen.sock\""
        }
        (Protocol::Http, Stack::Perl) => "keep one LWP::UserAgent with keep_alive => 16 for the life of the process",
        (Protocol::Redis, Stack::Php) => {
            "$redis->pconnect(…) instead of connect(…); Predis: 'persistent' => true; sessions: ?persistent=1 in \
             session.save_path"
        }
        (Protocol::Memcached, Stack::Php) => {
            "give it a name: new Memcached('pool'), and call addServer only if getServerList() is empty"
        }
        (Protocol::Redis | Protocol::Memcached, Stack::Node) => {
            "make the client once, when the process starts, and not for each request: one connection serves all calls"
        }
        (Protocol::Redis | Protocol::Memcached, _) => {
            "make the client once, when the process starts, with a pool as large as its threads"
        }
        _ => "keep the connection for the life of the process, in a pool as large as its threads",
    };
    Fix::advice(advice)
}

fn proxy(outbound: &Outbound<'_>, stack: Stack) -> Fix {
    let name = match outbound.is_nameless() {
        true => " (in `upstream`, use the service's name instead of the address if it expects one: it is sent as Host)",
        false => "",
    };
    let without = match unladen_outbound::without(stack) {
        "" => ". Without a proxy: keep the connection for the life of the process, in a pool as large as its threads",
        known => known,
    };
    let advice = format!(
        "let unladen serve keep the connections: with these lines, {}{name}. Where the service speaks TLS too, write \
         https:// into `upstream`: a kept connection needs one handshake{without}",
        outbound.call()
    );
    Outbound::fix(advice, &[outbound])
}

fn nginx(evidence: &Evidence, seen: &ConnectionSeen) -> Fix {
    let is_python = (0..evidence.groups.len()).any(|group| Stack::of(evidence, group) == Stack::Python);
    let behind = match is_python {
        true => ". Gunicorn keeps connections with -k gthread (and --keep-alive 75); its sync workers do not",
        false => "",
    };
    let name = format!("kept-{}", web_server::slug(&seen.peer));
    let lines = vec![
        format!("upstream {name} {{"),
        format!("    server {};", seen.peer),
        "    keepalive 16;".into(),
        "}".into(),
        "proxy_http_version 1.1;".into(),
        "proxy_set_header Connection \"\";".into(),
    ];
    web_server::nginx(
        evidence,
        Some(seen.group),
        format!(
            "let nginx keep connections: these lines, and `proxy_pass http://{name};` instead of `proxy_pass \
             http://{};`. Where a server or location has its own proxy_set_header, add the Connection line there \
             too{behind}",
            seen.peer
        ),
        &name,
        lines,
    )
}

#[cfg(test)]
mod tests;

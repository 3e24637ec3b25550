//! A connection without queries.

use unladen_trace::{ConnectionSeen, Evidence, EvidenceSource, Protocol};

use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::rules::peers::{self, LEAST_PER_REQUEST};
use crate::words::many;

/// Upper bound relative to opening: the socket is created and closed, and the other side begins to serve it.
const AROUND: f64 = 2.0;

pub(super) const RULE: Rule = Rule {
    name: "unused-connection",
    about: "each request opens a connection and does not use it",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/unused-connection.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    peers::habits(evidence).filter(|seen| !is_probe(seen)).filter_map(|seen| one(evidence, seen)).collect()
}

fn one(evidence: &Evidence, seen: &ConnectionSeen) -> Option<Finding> {
    let unused = peers::often(evidence, &seen.unused, LEAST_PER_REQUEST)?;
    let part = peers::unused_part(evidence, seen).unwrap_or(1.0);
    let spoken = match seen.protocol {
        Protocol::Silent | Protocol::Other => String::new(),
        known => format!(" ({})", peers::spoken(known)),
    };
    let connections = many(unused, "connection", "connections");
    let takes = Share::of_latency(evidence, peers::opening(evidence, seen).map(|time| time.scaled(part)));
    Some(Finding {
        summary: format!("{connections} per request to {}{spoken}, opened and closed unused", seen.peer),
        figures: vec![Figure { name: "connections_unused", unit: "1", value: unused }],
        items: vec![Item { name: seen.peer.clone(), per_request: unused.value }],
        saves: Saves::part_of(&takes, AROUND),
        ..Finding::of(&RULE, evidence, Some(seen.group), takes, fix(evidence, seen))
    })
}

fn fix(evidence: &Evidence, seen: &ConnectionSeen) -> Fix {
    let asked = seen.opened.count.less(&seen.unused);
    let clear = match seen.protocol {
        // libpq asks for TLS first; if the handshake fails, it opens another connection, which is used.
        Protocol::Postgres if peers::is_tcp(seen) && peers::often(evidence, &asked, LEAST_PER_REQUEST).is_some() => {
            "check whether the client tries TLS without success, and connects again without it (sslmode=prefer does \
             so silently where the handshake fails, as with a ~/.postgresql of another user): sslmode=require instead \
             shows why, and sslmode=disable does not try, for a server on this machine. Otherwise "
        }
        _ => "",
    };
    Fix::code(
        evidence,
        seen.group,
        &format!(
            "{clear}open it when it is first used, not when the page begins; look for a health check of the service, \
         for a second database that few pages use, and for clients that are created but not used"
        ),
    )
}

/// The resolver connects a UDP socket with port 0 to each address of a name to choose one; nothing is sent.
fn is_probe(seen: &ConnectionSeen) -> bool {
    peers::is_tcp(seen) && peers::port(seen) == Some(0)
}

#[cfg(test)]
mod tests;

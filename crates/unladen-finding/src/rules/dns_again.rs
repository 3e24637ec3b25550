//! Names that are looked up in each request.

use std::collections::BTreeMap;

use unladen_trace::{Counted, DnsSeen, Evidence, EvidenceSource, Interval, State};

use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::rules::peers;
use crate::rules::unladen_outbound::{Outbound, Outbounds};
use crate::server;
use crate::stack::is_contained;
use crate::words::{self, many};

/// From this many questions a request on, nothing caches the answers: a cache asks once in a time to live, which is
/// minutes. It is 1 less what the edges of phases may lose.
const LEAST_QUESTIONS: f64 = 0.95;
/// Least number of times in one request for a question to count as repeated.
const LEAST_AGAIN: f64 = 2.0;
/// Least repeated questions per request: every fourth request asks twice. Less often is not the page's habit.
const LEAST_AGAIN_QUESTIONS: f64 = 0.5;

/// Upper bound on a look-up relative to waiting for answers: the resolver opens its files and a socket.
const RESOLVER: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    name: "dns-again",
    about: "each request asks the DNS for names that do not change",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/dns-again.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.state == State::Fresh {
        return Vec::new();
    }
    let outbounds = Outbounds::of(evidence);
    (0..evidence.groups.len()).filter_map(|group| one(evidence, group, &outbounds)).collect()
}

fn one(evidence: &Evidence, group: usize, outbounds: &Outbounds<'_>) -> Option<Finding> {
    let seen: Vec<&DnsSeen> = evidence.dns.iter().filter(|seen| seen.group == group).collect();
    let all = Counted::sum(seen.iter().map(|seen| &seen.counted));
    let questions = evidence.per_request(&all.count).filter(|count| count.low > 0.0)?;
    let again = seen
        .iter()
        .filter_map(|seen| Some((*seen, times_in_a_request(evidence, &seen.counted)?)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .filter(|(_, times)| *times >= LEAST_AGAIN);
    if again.is_none() && questions.value < LEAST_QUESTIONS {
        return None;
    }
    let what = match again {
        Some((seen, times)) => {
            format!("{} of {} looked up {} times", seen.kind, seen.name, words::plain(times))
        }
        None => format!("{} looked up by each", names(&seen)),
    };
    let takes = Share::of_latency(evidence, evidence.wait_of(&all));
    Some(Finding {
        summary: format!("{} per request: {what}", many(questions, "DNS query", "DNS queries")),
        figures: vec![Figure { name: "questions", unit: "1", value: questions }],
        items: Item::largest(seen.iter().map(|seen| {
            let name = format!("{} {}, of {}", seen.kind, seen.name, seen.server);
            (name, evidence.mean(&seen.counted.count))
        })),
        saves: Saves::part_of(&takes, RESOLVER),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix(evidence, &seen, outbounds))
    })
}

fn times_in_a_request(evidence: &Evidence, counted: &Counted) -> Option<f64> {
    let Interval { value, .. } = peers::often(evidence, &counted.count, LEAST_AGAIN_QUESTIONS)?;
    let requests = evidence.mean(&counted.requests);
    (requests > 0.0).then_some(value / requests)
}

fn names(seen: &[&DnsSeen]) -> String {
    let mut names: Vec<&str> = seen.iter().map(|seen| seen.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("{} names", several.len()),
    }
}

fn fix(evidence: &Evidence, seen: &[&DnsSeen], outbounds: &Outbounds<'_>) -> Fix {
    let keep =
        "keep the connection, so its name is looked up once (one curl handle, one client for the life of the process)";
    let is_here = seen.iter().all(|seen| is_here(&seen.server));
    let (called, is_all) = called(seen, outbounds);
    if is_all && !called.is_empty() {
        let calls = called.iter().map(|outbound| outbound.call()).collect::<Vec<_>>().join(", ");
        let cache =
            if is_here { "" } else { "; or let this machine cache answers, with nscd, systemd-resolved or unbound" };
        let advice = format!(
            "let unladen serve look names up, once per answer's time to live; it keeps the last good answer when the \
             DNS fails, and keeps the connections: with these lines, {calls}. Without a proxy: {keep}{cache}"
        );
        return Outbound::fix(advice, &called);
    }
    let some = match called.as_slice() {
        [] => String::new(),
        _ => format!(
            "; HTTP calls ({}) can go through unladen serve, which looks names up once per answer's time to live and \
             keeps the last good answer",
            called.iter().map(|outbound| outbound.url()).collect::<Vec<_>>().join(", ")
        ),
    };
    if is_here {
        return Fix::advice(format!(
            "a cache on this machine already answers; only the look-ups themselves remain: {keep}, or write the \
             address into the application's settings or /etc/hosts{some}"
        ));
    }
    if seen.iter().any(|seen| is_contained(evidence, seen.group)) {
        return Fix::advice(format!(
            "{keep}; or give the container a caching nameserver (unbound, dnsmasq; Docker's own does not cache); or \
             write the address into the application's settings{some}"
        ));
    }
    // Debian's package has these defaults; `hosts` is what getaddrinfo asks for.
    let lines = ["enable-cache hosts yes", "positive-time-to-live hosts 60", "negative-time-to-live hosts 20"];
    Fix::advice(format!(
        "{keep}; or let this machine cache answers, with nscd (programs with their own resolver, such as Go's, bypass \
         it: for these, systemd-resolved or unbound as the nameserver in /etc/resolv.conf); or write the address into \
         the application's settings{some}"
    ))
    .lines("/etc/nscd.conf", lines)
    .command(format!("apt install nscd && {}", server::service(evidence, "restart", "nscd")))
}

/// Listeners for the services with these names, and whether they cover all names.
fn called<'a>(seen: &[&'a DnsSeen], outbounds: &'a Outbounds<'_>) -> (Vec<&'a Outbound<'a>>, bool) {
    let mut called: BTreeMap<String, &Outbound<'_>> = BTreeMap::new();
    let mut is_all = true;
    for seen in seen {
        let mut named = outbounds.named(seen.group, &seen.name).peekable();
        is_all &= named.peek().is_some();
        called.extend(named.map(|outbound| (outbound.url(), outbound)));
    }
    (called.into_values().collect(), is_all)
}

fn is_here(server: &str) -> bool {
    server.starts_with("127.") || server.starts_with("::1") || server.starts_with("[::1]")
}

#[cfg(test)]
mod tests;

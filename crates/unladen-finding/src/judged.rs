//! What was not judged: [`unjudged`]. That nothing was found is a claim that holds only where everything was looked at.

use std::collections::BTreeSet;

use unladen_trace::{Ask, ConnectionSeen, Evidence, EvidenceSource, Protocol, Unseen};

use crate::finding::Rule;
use crate::look::look;
use crate::rules::RULES;
use crate::words::{between, plain};

/// Customary database ports: a connection that existed before tracing does not show what its TLS carries. PostgreSQL,
/// PgBouncer, MySQL (IANA's registry; PgBouncer's own default).
const DATABASE_PORTS: [&str; 3] = [":5432", ":6432", ":3306"];

/// All that was not judged.
pub fn unjudged(evidence: &Evidence) -> Vec<Unjudged> {
    let mut all = Vec::new();
    path(evidence, &mut all);
    groups(evidence, &mut all);
    if evidence.lost > 0 {
        let why = format!("{} events were lost: counts may be too low", plain(evidence.lost as f64));
        all.push(here("what was traced", why, "a quieter time", those_that_read(EvidenceSource::Syscalls)));
    }
    if let Some(why) = &evidence.cut_short {
        all.push(here("what was traced", format!("the counting ended early: {why}"), "", those_inside()));
    }
    databases(evidence, &mut all);
    answers(evidence, &mut all);
    all.extend(uncertain(evidence));
    all
}

fn path(evidence: &Evidence, all: &mut Vec<Unjudged>) {
    // Patterns that only a profile shows do not depend on the groups followed.
    if evidence.profile.is_some() {
        return;
    }
    let whole = "the request's path";
    let Some(path) = &evidence.path else {
        let why = "it was not examined when this was recorded";
        all.push(here(whole, why.to_owned(), "a new recording", those_inside()));
        return;
    };
    if let Some(unknown) = &path.unknown {
        all.push(here(whole, unknown.why.clone(), &unknown.takes, those_inside()));
    }
    for beyond in &path.beyond {
        let spoken = beyond.protocol.name().map(|name| format!(" ({name})")).unwrap_or_default();
        let what = format!("{}{spoken}", beyond.peer);
        let why = format!("on the path, but not examined: {}", beyond.why.as_str());
        all.push(match beyond.why {
            Unseen::Elsewhere => {
                let takes = "unladen on its server".to_owned();
                Unjudged { what, why, takes, rules: Vec::new(), bearing: Bearing::Elsewhere }
            }
            Unseen::Hidden => here(&what, why, "root", those_inside()),
            Unseen::Nameless | Unseen::TooMany => here(&what, why, "", those_inside()),
        });
    }
}

fn groups(evidence: &Evidence, all: &mut Vec<Unjudged>) {
    for (index, group) in evidence.groups.iter().enumerate() {
        if let Some(untold) = group.untold.filter(|_| group.on_path) {
            let cpu = if untold.high > 0.0 {
                format!("{} of CPU per request", between(untold))
            } else {
                "no CPU seen".to_owned()
            };
            let why = format!("on the path; {cpu}, not distinguishable from its other work");
            all.push(here(&group.name, why, "a quieter time, or a longer one (--time)", those_inside()));
        }
        let rings = evidence.syscalls.iter().filter(|seen| seen.group == index && seen.name == "io_uring_enter");
        if rings.map(|seen| evidence.mean(&seen.count)).sum::<f64>() > 0.0 {
            let why = "it reads and writes through io_uring, which cannot be traced".to_owned();
            all.push(here(&group.name, why, "", those_that_read(EvidenceSource::Syscalls)));
        }
    }
    if !evidence.left_out.is_empty() {
        let why = "they may follow the requests, but more groups follow than can be examined".to_owned();
        let what = evidence.left_out.join(", ");
        all.push(here(&what, why, "a quieter time, or a longer one (--time)", those_inside()));
    }
}

fn databases(evidence: &Evidence, all: &mut Vec<Unjudged>) {
    let in_tls = |seen: &&ConnectionSeen| {
        let is_used = evidence.mean(&seen.exchanges.count) + evidence.mean(&seen.opened.count) > 0.0;
        let by_port = || DATABASE_PORTS.iter().any(|port| seen.peer.ends_with(port));
        seen.protocol == Protocol::Tls && is_used && (seen.inside.is_some() || by_port())
    };
    for seen in evidence.connections.iter().filter(in_tls) {
        let name = seen.inside.and_then(Protocol::name).unwrap_or("a database");
        let why = format!("{} talks to {name} over TLS: its statements cannot be seen", evidence.group(seen.group));
        let rules = vec!["n-plus-one", "same-query-again", "prepare-per-query"];
        all.push(here(&seen.peer, why, "a connection without TLS, on this machine", rules));
    }
}

fn answers(evidence: &Evidence, all: &mut Vec<Unjudged>) {
    for unanswered in evidence.response.iter().flat_map(|response| &response.unanswered) {
        let (how, rules) = match unanswered.ask {
            Ask::Conditional => ("if it has changed", vec!["slow-conditional"]),
            Ask::Compressed => ("compressed", vec!["uncompressed", "missing-vary"]),
            Ask::Language => ("in other languages", vec!["missing-vary"]),
            Ask::Cookie => ("with the cookies that it sets", vec!["missing-vary", "splits-cache"]),
            Ask::UnknownCookie => ("with a cookie that it does not know", vec!["missing-vary", "splits-cache"]),
        };
        all.push(here(&format!("the page, requested {how}"), unanswered.why.clone(), "", rules));
    }
}

fn here(what: &str, why: String, takes: &str, rules: Vec<&'static str>) -> Unjudged {
    Unjudged { what: what.to_owned(), why, takes: takes.to_owned(), rules, bearing: Bearing::Here }
}

fn those_inside() -> Vec<&'static str> {
    named(|rule| {
        rule.needs().iter().any(|source| !matches!(source, EvidenceSource::Response | EvidenceSource::Profile))
    })
}

fn those_that_read(source: EvidenceSource) -> Vec<&'static str> {
    named(|rule| rule.needs().contains(&source))
}

fn named(is_one: impl Fn(&Rule) -> bool) -> Vec<&'static str> {
    RULES.iter().filter(|rule| is_one(rule)).map(|rule| rule.name()).collect()
}

/// Something on the request's path that rules could not look at, or not well enough to say that there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// Example: `www-data php-fpm8.2`.
    pub what: String,
    /// Half a line: `on the path; 12 to 40 ms of CPU per request, not told from its other work`.
    pub why: String,
    /// What would help; empty if nothing does.
    pub takes: String,
    pub rules: Vec<&'static str>,
    pub bearing: Bearing,
}

/// What follows from something that was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// The rules could not look: a gate on one of them fails.
    Here,
    /// On another machine, or not to be looked at: reported, and no rule has failed.
    Elsewhere,
    /// The rule saw likely waste. A gate fails for certain waste only.
    Uncertain,
}

/// Most that are reported, the largest part first: a machine this busy has measured little.
const MOST: usize = 12;

/// Findings that appear only if the likely is taken for certain: one a rule and group. A rule reports only what is
/// certain, but its silence may then not be taken for "there is none".
pub(crate) fn uncertain(evidence: &Evidence) -> Vec<Unjudged> {
    let certain: BTreeSet<_> = look(evidence).into_iter().map(|finding| (finding.rule, finding.group)).collect();
    let mut told = certain.clone();
    let likely = look(&evidence.likely()).into_iter();
    likely
        .filter(|finding| told.insert((finding.rule, finding.group.clone())))
        .take(MOST)
        .map(|finding| Unjudged {
            what: if finding.group.is_empty() { "the page's answers".to_owned() } else { finding.group },
            why: format!("`{}` is likely, but not certain: {}", finding.rule, finding.summary),
            takes: "a quieter time, or a longer one (--time)".to_owned(),
            rules: vec![finding.rule],
            bearing: Bearing::Uncertain,
        })
        .collect()
}

#[cfg(test)]
mod tests;

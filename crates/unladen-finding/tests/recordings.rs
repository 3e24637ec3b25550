//! The rules, on recordings of real runs: which of them fire is what fired then. `recordings/README.md` tells how they
//! were made.
#![expect(clippy::expect_used, reason = "tests fail by it, in what they share too")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use unladen_finding::{Finding, Share, look, unlooked};
use unladen_trace::{EvidenceSource, Recording};

/// What is true of the subject's page as it is.
const OWN: [&str; 3] = ["cacheable", "database-reconnect", "slow-conditional"];
/// A recording has at most so many bytes: it is kept for ever.
const MOST_BYTES: u64 = 100_000;

/// Each recording, and what fires there besides [`OWN`].
const RECORDINGS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("database-reconnect", &[]),
    ("lock-churn-link", &["lock-churn"]),
    ("log-chatter", &["log-chatter"]),
    ("opcache-revalidation", &["opcache-revalidation"]),
    ("splits-cache", &["splits-cache"]),
    ("unpooled-tls", &["unpooled-tls"]),
    ("write-per-request-sql", &["write-per-request"]),
];
/// Nothing fires here.
const LEAN: &str = "lean";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

fn recording(name: &str) -> Recording {
    Recording::read(&folder().join(format!("{name}.json"))).expect("a recording of this version")
}

fn findings(name: &str) -> Vec<Finding> {
    recording(name).pages.iter().flat_map(|page| look(&page.warm)).collect()
}

fn rules(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn what_fired_on_the_real_run_fires_on_its_recording() {
    for (name, expected) in RECORDINGS {
        let fired = rules(&findings(name));
        let besides: BTreeSet<&str> = fired.iter().copied().filter(|rule| !OWN.contains(rule)).collect();
        assert_eq!(besides, expected.iter().copied().collect(), "{name}");
        // A 304 saves about as much as the threshold there, and what hands out a cookie is not cacheable.
        assert!(fired.contains("database-reconnect"), "{name}: {fired:?}");
    }
}

#[test]
fn nothing_fires_on_the_lean_variant() {
    assert_eq!(findings(LEAN), []);
    // It was looked for.
    let record = recording(LEAN);
    let lacking = unlooked(&record.pages[0].warm).filter(|unlooked| unlooked.source != EvidenceSource::Restarts);
    assert_eq!(lacking.map(|unlooked| unlooked.rule.name()).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn six_connections_are_five_too_many_and_their_logins_are_in_the_share() {
    let findings = findings("database-reconnect");
    let found = findings.iter().find(|finding| finding.rule == "database-reconnect").unwrap();
    assert!(found.summary.starts_with("6 new connections per request to PostgreSQL"), "{}", found.summary);
    assert!(found.summary.contains("where one is enough; the server starts a process for each"), "{}", found.summary);
    let Share::Known { part, .. } = &found.takes else { panic!("{found:?}") };
    // To connect alone takes some 15 µs each.
    assert!(part.low > 0.2, "{part:?}");
}

#[test]
fn every_recording_is_looked_at_and_small() {
    let known: BTreeSet<String> =
        RECORDINGS.iter().map(|(name, _)| *name).chain([LEAN]).map(|name| format!("{name}.json")).collect();
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(entry.metadata().unwrap().len() < MOST_BYTES, "{name} is too large");
        if name.ends_with(".json") {
            there.insert(name);
        }
    }
    assert_eq!(there, known);
}

//! What is true of every rule.

pub(crate) mod testing;

use std::collections::BTreeSet;
use std::path::Path;

use unladen_trace::{FileCall, FileOutcome, GroupSeen, LockCall, LockKind, LockSeen, ProcessSeen};

use self::testing::{counted, each, file, lean};
use super::RULES;
use crate::{look, rule_named, unlooked};

/// What each page tells, in this order.
const HEADINGS: [&str; 5] = ["What it is", "How it is found", "What it costs", "The fix", "What it is not"];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/rules").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_rule_has_its_page() {
    for rule in RULES {
        let name = rule.name();
        let page = page(&format!("{name}.md"));
        assert_eq!(page, rule.page(), "{name} shows another page");
        assert!(page.starts_with(&format!("# {name}: ")), "{name}: the title");
        let at = HEADINGS.map(|heading| page.find(&format!("\n**{heading}.**")));
        assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{name}: {HEADINGS:?} are at {at:?}");
    }
}

#[test]
fn every_rule_is_in_the_index() {
    let index = page("README.md");
    for rule in RULES {
        let row = format!("| [{0}]({0}.md) | {1} |", rule.name(), rule.about());
        assert!(index.contains(&row), "docs/reference/rules/README.md lacks\n{row}");
    }
    let rows = index.lines().filter(|line| line.starts_with("| [")).count();
    assert_eq!(rows, RULES.len(), "docs/reference/rules/README.md has a row too many");
}

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), RULES.len());
    for name in names {
        assert!(rule_named(name).is_some_and(|rule| rule.name() == name));
    }
}

#[test]
fn nothing_is_found_in_a_lean_page() {
    assert_eq!(look(&lean()), []);
    assert_eq!(unlooked(&lean()).count(), 0);
}

/// PostgreSQL forks a process for each connection, opens its relations for writing and its settings again in each: who
/// connects is told, by `database-reconnect`.
#[test]
fn the_files_and_processes_of_a_database_server_were_told_as_the_pages_waste() {
    let mut evidence = lean();
    let group = evidence.groups.len();
    evidence.groups.push(GroupSeen { name: "postgres postgres".into(), ..GroupSeen::default() });
    evidence.processes = vec![ProcessSeen { group, program: String::new(), started: each(6), cpu_ns: each(4_000_000) }];
    evidence.files = vec![
        file(group, FileCall::Create, "base/16384/t1", FileOutcome::Found, 1),
        file(group, FileCall::Open, "/etc/nsswitch.conf", FileOutcome::Found, 36),
    ];
    evidence.files.extend((0..200).map(|n| file(group, FileCall::Stat, &format!("base/{n}"), FileOutcome::Found, 1)));
    evidence.locks = vec![LockSeen {
        group,
        kind: LockKind::Call(LockCall::Fcntl),
        path: "base/16384/1".into(),
        counted: counted(40, 1_000),
    }];
    assert_eq!(look(&evidence), []);
    for unit in ["postgresql@15-main.service", "mariadb.service"] {
        evidence.groups[group].name = unit.into();
        assert_eq!(look(&evidence), [], "{unit}");
    }
    evidence.groups[group].name = "app server".into();
    let rules: BTreeSet<&str> = look(&evidence).iter().map(|finding| finding.rule).collect();
    let all = ["lock-churn", "process-per-request", "same-file-again", "stat-storm", "write-per-request"];
    assert_eq!(rules, BTreeSet::from(all));
}

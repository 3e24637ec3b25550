use super::*;

#[test]
fn a_restart_that_failed_was_passed_over() {
    let mut evidence = Evidence { sources: vec![EvidenceSource::Syscalls], ..Evidence::default() };
    let lists = |evidence: &Evidence| unlooked(evidence).any(|lacking| lacking.rule.name() == "cold-start");
    assert!(!lists(&evidence), "nobody asked for it");
    let why = "--restart: `false` failed".to_owned();
    evidence.missing.push(Missing { source: EvidenceSource::Restarts, why, takes: String::new() });
    assert!(lists(&evidence));
}

#[test]
fn a_php_that_could_not_be_looked_into_was_not_told() {
    let why = "/opt/php: cannot attach to its function compile_file".to_owned();
    let missing = Missing { source: EvidenceSource::Php, why, takes: String::new() };
    let sources = vec![
        EvidenceSource::Syscalls,
        EvidenceSource::Processes,
        EvidenceSource::Response,
        EvidenceSource::PhpSettings,
        EvidenceSource::Perl,
    ];
    let mut evidence = Evidence { sources, ..Evidence::default() };
    assert!(unlooked(&evidence).all(|lacking| lacking.rule.name() != "recompile"), "no PHP, nothing to miss");
    evidence.missing.push(missing);
    let lacking: Vec<_> = unlooked(&evidence).filter(|lacking| lacking.source == EvidenceSource::Php).collect();
    assert_eq!(lacking.iter().map(|lacking| lacking.rule.name()).collect::<Vec<_>>(), ["recompile"]);
}

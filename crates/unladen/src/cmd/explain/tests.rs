use super::*;

#[test]
fn terms_counters_and_rules_are_explained_however_they_are_written() {
    for (typed, part) in [
        ("noise floor", "told from nothing"),
        ("Noise Floor", "told from nothing"),
        ("±", "95 of 100"),
        ("p95", "95 less"),
        ("Stat-Storm", "stat-storm"),
        ("cpu", "in ns"),
        ("page faults", "page faults, minor"),
        ("file checks", "stat"),
    ] {
        let text = meaning(typed).unwrap_or_else(|| panic!("{typed}"));
        assert!(text.contains(part), "{typed}: {text}");
    }
    let error = unknown("nois flor").to_string();
    assert!(error.contains("(the nearest is `noise floor`)"), "{error}");
}

#[test]
fn each_term_has_one_meaning() {
    let names: Vec<&str> = terms().flat_map(|(names, _)| names).collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert!(names.len() == once.len() && names.len() > 30, "{names:?}");
    assert!(terms().all(|(_, meaning)| meaning.len() > 30));
}

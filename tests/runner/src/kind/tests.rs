use std::path::{Path, PathBuf};

use super::*;

#[test]
fn a_program_says_that_it_measures_in_its_first_lines() {
    assert_eq!(Kind::of("//! Weights.\n//!\n//! Measures: CPU time of php-fpm.\n\nuse a;\n"), Kind::Measures);
    assert_eq!(Kind::of("//! Weights.\n\nuse a;\n//! Measures: CPU time.\n"), Kind::Independent);
    assert_eq!(Kind::of("//! It measures nothing.\n"), Kind::Independent);
    assert_eq!(Kind::of(""), Kind::Independent);
}

/// The root files of the end-to-end tests.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { path.join("main.rs") } else { path }).filter(|path| path.is_file()).collect()
}

/// What marks a test whose figures its neighbours would change: it looks into all processes by eBPF, or weighs an
/// application that others have up too.
#[test]
fn whoever_looks_into_all_processes_says_so() {
    let programs = programs();
    assert!(programs.len() > 40, "{programs:?}");
    for path in programs {
        let source = std::fs::read_to_string(&path).unwrap();
        let traces = source.contains("Ability::Tracing");
        assert!(!traces || Kind::of(&source) == Kind::Measures, "{}: say `//! Measures: …`", path.display());
    }
}

use std::path::{Path, PathBuf};

use super::*;

/// The root files of the end-to-end tests.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { path.join("main.rs") } else { path }).filter(|path| path.is_file()).collect()
}

/// Counts are exact whatever else the machine does, and `weigh` tells other load apart; samples of a profile that takes
/// seconds are fewer where others have the processor.
#[test]
fn whoever_profiles_an_application_says_that_it_measures() {
    let programs = programs();
    assert!(programs.len() > 40, "{programs:?}");
    for path in programs {
        let source = std::fs::read_to_string(&path).unwrap();
        let profiles = source.contains("\"profile\"") && source.contains("Ability::Tracing");
        assert!(!profiles || Kind::of(&source) == Kind::Measures, "{}: say `//! Measures: …`", path.display());
    }
}

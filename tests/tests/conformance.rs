//! The public suite of tests for HTTP caches, through `unladen serve`. What the machine needs for it, `conformance/run`
//! installs; what passes is counted and kept by it: docs/reference/conformance.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};
use unladen_tests::binary;

/// What must pass, dependencies between tests honoured: of 157 and of 86.
const AT_LEAST: [(&str, usize, usize); 2] = [("required", 150, 157), ("optimal", 76, 86)];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn words(file: &Path) -> Map<String, Value> {
    let text = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn the_public_suite_passes_as_far_as_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("results.json");
    let run = Command::new(repository().join("conformance/run"))
        .arg("unladen")
        .env("UNLADEN", binary())
        .env("CONFORMANCE_RESULTS", &results)
        .env_remove("CONFORMANCE_RAW")
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{}: {said}", run.status);
    for (kind, least, all) in AT_LEAST {
        let line =
            said.lines().find_map(|line| line.strip_prefix(&format!("{kind}: "))).unwrap_or_else(|| panic!("{said}"));
        let passed: usize =
            line.strip_suffix(&format!(" of {all}")).and_then(|passed| passed.parse().ok()).expect(&said);
        assert!(passed >= least, "{said}");
    }
    assert_eq!(words(&results).len(), AT_LEAST.iter().map(|(_, _, all)| all).sum::<usize>());
}

#[test]
fn each_failure_left_is_explained() {
    let page = std::fs::read_to_string(repository().join("docs/reference/conformance.md")).unwrap();
    let (_, left) = page.split_once("\n## Each failure left\n").expect("its section");
    let left = left.split("\n## ").next().unwrap_or_default();
    for (test, word) in words(&repository().join("conformance/unladen.json")) {
        assert_eq!(left.contains(&format!("`{test}`")), word != "pass", "{test}: {word}");
    }
}

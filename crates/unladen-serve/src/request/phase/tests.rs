use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All Rust of a crate.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            sources(&entry.path(), into);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(entry.path()).unwrap());
        }
    }
}

#[test]
fn the_map_in_the_docs_names_functions_that_are_there() {
    let map = fs::read_to_string(crates().join("../docs/concepts/life-of-a-request.md")).unwrap();
    let mut named = 0;
    let rows = map.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| phase"));
    for row in rows {
        let cell = row.split('|').nth(2).unwrap();
        let mut source = String::new();
        for word in cell.split('`').skip(1).step_by(2) {
            if word.ends_with(".rs") {
                source = fs::read_to_string(crates().join("unladen-serve/src").join(word)).unwrap();
            } else if word.starts_with("unladen-") {
                source.clear();
                sources(&crates().join(word).join("src"), &mut source);
            } else {
                assert!(
                    source.contains(&format!("fn {word}(")) || source.contains(&format!("fn {word}<")),
                    "{word}: {row}"
                );
                named += 1;
            }
        }
    }
    assert!(named > 40, "{named}");
}

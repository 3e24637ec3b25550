//! `scripts/story`: what it would measure can be measured. Nothing is started.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use unladen_tests::binary;

fn top() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn story(arguments: &[&str]) -> Output {
    let mut story = Command::new(top().join("scripts/story"));
    story.args(arguments).env("UNLADEN", binary()).env_remove("UNLADEN_STATE");
    story.output().expect("bash starts")
}

#[test]
fn every_experiment_of_the_story_is_accepted() {
    let Output { status, stdout, stderr } = story(&["--check"]);
    let said = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{said}{}", String::from_utf8_lossy(&stderr));
    for arm in [
        "class map",
        "opcode cache",
        "conditional, by validator",
        "straight by HTTP",
        "through Envoy",
        "languages known + parameters shared",
        "all but templates kept",
    ] {
        assert!(said.lines().any(|line| line.trim() == arm), "{arm} is no arm:\n{said}");
    }
    // None is left out: each experiment that says that the story runs it, and each patch.
    let experiments = ["mediawiki", "pledges", "sidecar"].map(|part| format!("{part}: story.toml"));
    for experiment in experiments.iter().map(String::as_str).chain(["pledges: site.toml", "sympa: patches.toml"]) {
        assert!(said.lines().any(|line| line == experiment), "{experiment} was not read:\n{said}");
    }
    let sympa = top().join("subjects/sympa");
    let experiment = fs::read_to_string(sympa.join("patches.toml")).unwrap();
    let mut patches = 0;
    for entry in fs::read_dir(sympa.join("patches")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".patch") {
            patches += 1;
            assert!(experiment.contains(&format!("\"patches/{name}\"")), "no knob applies {name}");
        }
    }
    assert_eq!(patches, 5);
}

#[test]
fn a_part_that_does_not_exist_is_refused() {
    for word in ["5", "moodle", "--shrt"] {
        let Output { status, stderr, .. } = story(&[word]);
        assert_eq!(status.code(), Some(2), "{word}");
        assert!(String::from_utf8(stderr).unwrap().contains(word), "{word} is not named");
    }
}

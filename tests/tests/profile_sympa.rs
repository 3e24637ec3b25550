//! `unladen profile` on a real Sympa: a shadow process of wwsympa under Devel::NYTProf, fresh and warm.
//!
//! Measures: the times of the functions of one page.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use unladen_tests::{Ability, Call, Document, Subject, skip_without};

/// Lists of Sympa: enough to tell of each what is done for each list.
const LISTS: u64 = 15;

fn function<'a>(document: &'a Document, name: &str) -> &'a Value {
    let rows = document.list("functions");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not in {document}"))
}

fn rules(document: &Document) -> Vec<&str> {
    document.list("findings").iter().filter_map(|finding| finding["rule"].as_str()).collect()
}

/// Processes of the program: those of the subject, and shadow processes.
fn programs() -> Vec<u32> {
    let of = |folder: PathBuf| {
        let pid: u32 = folder.file_name()?.to_str()?.parse().ok()?;
        let line = fs::read(folder.join("cmdline")).ok()?;
        line.windows(12).any(|part| part == b"wwsympa.fcgi").then_some(pid)
    };
    let mut pids: Vec<u32> = fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.unwrap().path())).collect();
    pids.sort_unstable();
    pids
}

#[test]
fn what_sympas_page_of_lists_does_for_each_list_is_counted() {
    let test = "what_sympas_page_of_lists_does_for_each_list_is_counted";
    if skip_without(Ability::Tracing, test) || skip_without(Ability::Sympa, test) {
        return;
    }
    let sympa = Subject::up_with("sympa", &[("UNLADEN_LISTS", &LISTS.to_string())]);
    let before = programs();
    assert!(!before.is_empty());

    let profile = |words: &[&str]| -> Document {
        Call::new(["profile", "--no-files", "-n", "6"]).args(words).args([sympa.url()]).document()
    };
    let fresh = profile(&["--fresh"]);
    assert_eq!((&fresh["profiler"], fresh["requests"].as_u64()), (&"nytprof".into(), Some(6)), "{fresh}");
    assert!(fresh["setup"]["group"].as_str().unwrap().contains("sympa"), "{fresh}");
    let new = function(&fresh, "Sympa::List::new");
    assert_eq!(new["calls_per_request"], LISTS as f64, "{new}");
    assert_eq!(new["callers"][0]["name"], "Sympa::List::get_lists", "{new}");
    // The public account of this page: what is done for each list, and for all of them together.
    for (name, least) in [("Sympa::get_supported_languages", 0.1), ("Clone::clone", 0.05), ("Sympa::List::load", 0.2)] {
        let share = function(&fresh, name)["total_share"]["low"].as_f64().unwrap();
        assert!(share > least, "{name}: {share}");
    }
    assert!(function(&fresh, "File::NFSLock::new")["calls_per_request"].as_f64().unwrap() >= LISTS as f64);
    assert!(rules(&fresh).contains(&"clone-storm"), "{fresh}");
    assert!(!rules(&fresh).contains(&"template-parsed-again"), "a fresh process has to parse them: {fresh}");

    let warm = profile(&[]);
    assert_eq!(warm["requests"], 6);
    let parse = function(&warm, "Template::Parser::parse");
    assert_eq!(parse["calls_per_request"], 11.0, "{parse}");
    assert!(rules(&warm).contains(&"template-parsed-again"), "{warm}");
    // Counted, so each request tells the same.
    assert_eq!(function(&warm, "main::do_lists")["calls"], 6);

    assert_eq!(programs(), before, "the live processes were left alone, and no shadow process stays");
}

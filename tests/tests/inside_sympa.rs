//! What was once found by hand in Sympa's page of lists, and written about, is found by the rules without a hint. The
//! figures are those of Debian 12's package; `benches/accuracy/tables.md` has the measurements.
//!
//! Measures: how much longer the first request of a fresh process takes than later ones.
//! Waits: for the restarts of its server.

use std::fs;
use std::io::Write;

use serde_json::Value;
use unladen_tests::findings::{figure, finding, items};
use unladen_tests::{Ability, Call, Document, Subject, skip_without};

/// Lists: enough to tell of each what is done for each list.
const LISTS: f64 = 30.0;

/// The first request of a fresh process reads each list's settings, and takes locks for that; all requests look for the
/// same files for each list; and at a higher level each list has its lines in the log.
#[test]
fn sympas_page_of_lists() {
    let test = "sympas_page_of_lists";
    if skip_without(Ability::Tracing, test) || skip_without(Ability::Sympa, test) {
        return;
    }
    let sympa = Subject::up_with("sympa", &[("UNLADEN_LISTS", &LISTS.to_string())]);
    let mut config = fs::OpenOptions::new().append(true).open(sympa.get("SYMPA_CONFIG")).unwrap();
    config.write_all(b"log_level 2\n").unwrap();
    sympa.run(["restart"]);
    let restart = format!("env UNLADEN_STATE={} {} restart", sympa.get("UNLADEN_STATE"), sympa.script().display());
    // The user is Sympa's alone; a process that was restarted is another one.
    // As strangers: what a session adds to a page is not what this is about.
    let weigh = |time| {
        let call = Call::weigh(["--no-cookies", "--phase", "250ms", "--settle", "20ms", "--time", time]);
        call.args(["--restart", &restart, sympa.url()]).document()
    };
    // Where much runs beside it, it takes longer to tell that first requests do.
    let is_told = |document: &Document| document.found().contains("cold-start");
    let document = ["12s", "24s"].into_iter().map(weigh).find(is_told).unwrap_or_else(|| weigh("48s"));

    let cold = finding(&document, "cold-start");
    assert_eq!(cold["state"], "fresh", "{cold}");
    assert!(cold["group"].as_str().unwrap().contains("sympa"), "{cold}");
    assert!(items(cold, "locks taken") >= 7.0 * LISTS, "{cold}");
    assert_eq!(cold["fix"]["lines"][0], "cache_list_config binary_file");

    // Later requests lock the database of sessions, some ten times: sometimes just enough to be found too, which hides
    // nothing.
    let is_fresh = |found: &&Value| found["rule"] == "lock-churn" && found["state"] == "fresh";
    let locks = document["findings"].as_array().unwrap().iter().find(is_fresh).unwrap_or_else(|| panic!("{document}"));
    figure(locks, "locks", 7.0 * LISTS, 7.0 * LISTS + 15.0);
    assert!((items(locks, "/list_data") - 7.0 * LISTS).abs() < 0.1, "{locks}");
    assert!(locks["check_again"].as_str().unwrap().contains("--restart"), "{locks}");

    let again = finding(&document, "same-file-again");
    // Of each list, in the defaults; further ones may be too few to be named.
    assert!((items(again, "/default/edit_list.conf (checked)") - 4.0 * LISTS).abs() < 0.1, "{again}");
    assert!(items(again, "/etc/localtime") > 10.0 * LISTS, "{again}");

    let log = finding(&document, "log-chatter");
    figure(log, "lines", 3.0 * LISTS, 3.0 * LISTS + 80.0);
    assert_eq!(log["fix"]["lines"][0], "log_level 0");

    // Templates are parsed anew for each page, by a process that stays.
    let recompile = finding(&document, "recompile");
    figure(recompile, "compiles", 9.0, 13.0);
    assert!(recompile["fix"]["advice"].as_str().unwrap().contains("LOAD_TEMPLATES"), "{recompile}");
    // What a daemon writes is its work.
    assert!(!document.found().contains("write-per-request"), "{document}");
}

//! `subjects/sidecar`: the ways by which its page asks the service, and the experiments that compare them.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use unladen_tests::{Subject, binary, wait};

/// The page, and how long it took in ms.
fn page(subject: &Subject) -> (String, f64) {
    let output =
        Command::new("curl").args(["-sf", "-m", "30", "-w", "\n%{time_total}", subject.url()]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "curl: {}\n{said}", output.status);
    let (page, seconds) = said.rsplit_once('\n').unwrap();
    (page.to_owned(), seconds.parse::<f64>().unwrap() * 1e3)
}

fn go(subject: &Subject, way: &str) {
    fs::write(subject.get("TO"), format!("{way}\n")).unwrap();
    subject.run(["restart"]);
}

/// Each way with: round trips to the service, whether connections are kept, how they came about, and which daemons
/// there are.
const WAYS: [(&str, u32, bool, &str, &[&str]); 8] = [
    ("http", 0, false, "-", &[]),
    ("nginx", 0, true, ".", &["proxy"]),
    ("unladen", 0, true, ".", &["proxy"]),
    ("unladen+delay", 1, true, ".", &["proxy", "relay"]),
    ("nginx+delay", 1, true, ".", &["proxy", "relay"]),
    ("http+delay", 2, false, "-", &["relay"]),
    ("https+delay", 3, false, ".", &["relay"]),
    ("https", 0, false, ".", &[]),
];

/// The log is written once a second.
const LOGGED: Duration = Duration::from_millis(1_500);

#[test]
fn the_page_is_the_same_by_every_way_and_what_differs_is_what_the_way_says() {
    let subject = Subject::up("sidecar");
    let log = || fs::read_to_string(subject.get("CONNECTIONS")).unwrap();
    let (first, _) = page(&subject);
    thread::sleep(LOGGED);
    let mut read = log().len();
    for (way, trips, keeps, kind, daemons) in WAYS {
        go(&subject, way);
        let asked: Vec<_> = (0..6).map(|_| page(&subject)).collect();
        assert!(asked.iter().all(|(page, _)| *page == first), "{way}: another page");

        let least = asked.iter().map(|(_, ms)| *ms).fold(f64::INFINITY, f64::min);
        let distance = f64::from(trips) * 20.0;
        assert!(least >= distance, "{way}: {least} ms, less than {distance}");

        let status = subject.run(["status"]);
        for daemon in ["proxy", "relay"] {
            let is_there = status.lines().any(|line| line.starts_with(daemon));
            assert_eq!(is_there, daemons.contains(&daemon), "{way}: {daemon}\n{status}");
        }

        wait::until(&format!("{way}: six connections are logged"), || log()[read..].lines().count() >= 6);
        // Whole lines are written. One too many that comes later is one too many of the next way.
        let logged = log()[read..].to_owned();
        read += logged.len();
        let lines: Vec<_> = logged.lines().map(|line| line.split_once(' ').unwrap()).collect();
        let new = lines.iter().filter(|(place, _)| *place == "1").count();
        assert_eq!(lines.len(), 6, "{way}:\n{logged}");
        assert!(lines.iter().all(|(_, how)| *how == kind), "{way}:\n{logged}");
        assert_eq!(new, if keeps { 1 } else { 6 }, "{way}:\n{logged}");
    }
    thread::sleep(LOGGED);
    assert_eq!(log()[read..], *"", "connections that no page asked for");
}

#[test]
fn what_is_no_way_is_told_and_changes_nothing() {
    let subject = Subject::up_with("sidecar", &[("UNLADEN_TO", "http")]);
    fs::write(subject.get("TO"), "carrier-pigeon\n").unwrap();
    let restart = Command::new(subject.script())
        .arg("restart")
        .env("UNLADEN_STATE", subject.get("UNLADEN_STATE"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&restart.stderr);
    assert!(!restart.status.success() && said.contains("no such way: carrier-pigeon"), "{said}");
    page(&subject);
    go(&subject, "https");
    page(&subject);
}

/// Their variables are there, one of their arms goes through Unladen, and what they switch can be put back.
#[test]
fn the_experiments_are_sound() {
    let subject = Subject::up("sidecar");
    let folder = subject.script().parent().unwrap();
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    assert_eq!(files.len(), 5, "{files:?}");
    for file in files {
        let check = Command::new(binary())
            .args([Path::new("prove"), Path::new("--check"), &file])
            .env("UNLADEN_STATE", subject.get("UNLADEN_STATE"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&check.stdout) + String::from_utf8_lossy(&check.stderr);
        assert!(check.status.success() && said.contains("through Unladen"), "{}:\n{said}", file.display());
    }
}

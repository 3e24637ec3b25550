use unladen_finding::{Saves, Share};

use super::tried as tried_on;
use super::*;

fn tried(findings: Vec<Finding>, url: &str) -> Vec<Finding> {
    tried_on(findings, url, None)
}

fn finding(lines: &[&str]) -> Finding {
    Finding {
        rule: "cacheable",
        group: String::new(),
        summary: String::new(),
        figures: Vec::new(),
        items: Vec::new(),
        takes: Share::NotKnown(String::new()),
        saves: Saves::NotKnown(String::new()),
        removes: None,
        fix: Fix::advice("put it in front")
            .lines(FILE, lines.iter().copied())
            .command("systemctl reload php8.2-fpm")
            .command("unladen serve --config unladen.toml"),
        check_again: "unladen prove --a http://a/ --b http://127.0.0.1:17080/".into(),
    }
}

const URL: &str = "http://127.0.0.1:8080/a/b?c";
const SITE: [&str; 3] = ["[[site]]", "listen = \"127.0.0.1:17080\"", "upstream = \"http://127.0.0.1:8080\""];

#[test]
fn what_serve_takes_is_printed_as_it_is() {
    let right = finding(&SITE);
    assert_eq!(tried(vec![right.clone()], URL), [right]);
    let others = Finding { fix: Fix::advice("a").lines("/etc/php.ini", ["a b"]), ..finding(&SITE) };
    assert_eq!(tried(vec![others.clone()], URL), [others]);
}

#[test]
fn lines_were_printed_that_serve_refuses() {
    let path = [&SITE[..], &["[[site.validator]]", "path = \"{page*}/\"", "head = true"]].concat();
    for wrong in [path.as_slice(), &["[[site]]", "listen = "], &["[[frond]]"]] {
        let found = tried(vec![finding(wrong)], URL).remove(0);
        assert!(found.fix.lines.is_empty() && found.fix.file.is_none(), "{found:?}");
        assert_eq!(found.fix.commands, ["systemctl reload php8.2-fpm"]);
        assert!(
            found.fix.advice.starts_with("put it in front (the lines for this are left out"),
            "{}",
            found.fix.advice
        );
        assert!(found.check_again.is_empty());
    }
}

/// `/{page*}` was printed for pages that it did not match, and kept nothing of them.
#[test]
fn lines_were_printed_that_keep_nothing_of_the_page() {
    let with = |path: &str| {
        let path = format!("path = \"{path}\"");
        finding(&[&SITE[..], &["[[site.validator]]", &path, "head = true"]].concat())
    };
    let lines = |path: &str, url: &str| tried(vec![with(path)], url).remove(0).fix.lines.len();
    assert_eq!(lines("/a/{page}", URL), 6);
    assert_eq!(lines("/{page*}", "http://127.0.0.1:8080"), 6);
    assert_eq!(lines("/{page*}", "http://127.0.0.1:8080/a/"), 6);
    assert_eq!(lines("/b/{page}", URL), 0);
    let cacheless = tried(vec![finding(&[&SITE[..], &["cache = false"]].concat())], URL).remove(0);
    assert!(
        cacheless.fix.advice.ends_with("(the lines for this are left out: they would not store this page)"),
        "{cacheless:?}"
    );
}

/// Of what was found on a host, this machine's files decided: one of that name was read here, and lines were left out.
#[test]
fn lines_for_a_host_were_tried_against_the_files_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let ca = format!("ca = \"{}\"", file.display());
    let lines = [&SITE[..2], &["upstream = \"https://127.0.0.1:8443\"", &ca]].concat();
    let (here, there) = (tried(vec![finding(&lines)], URL), tried_on(vec![finding(&lines)], URL, Some("web")));
    assert!(here[0].fix.lines.is_empty(), "{here:?}");
    assert_eq!(there[0].fix.lines, lines);
    // What is wrong by itself is wrong there too.
    let wrong = [&lines[..], &["frond = 1"]].concat();
    assert!(tried_on(vec![finding(&wrong)], URL, Some("web"))[0].fix.lines.is_empty());
}

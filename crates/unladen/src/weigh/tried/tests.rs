use unladen_finding::Share;

use super::*;

fn finding(lines: &[&str]) -> Finding {
    Finding {
        rule: "cacheable",
        group: String::new(),
        summary: String::new(),
        figures: Vec::new(),
        items: Vec::new(),
        share: Share::NotKnown(String::new()),
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
        cacheless.fix.advice.ends_with("(the lines for this are left out: they would keep nothing of this page)"),
        "{cacheless:?}"
    );
}

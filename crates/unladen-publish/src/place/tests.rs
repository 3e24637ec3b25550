use unladen_document::{Evidence, EvidenceItem, Fix};

use super::*;

fn finding(items: &[&str], fix: Option<&str>) -> Finding {
    let items = items.iter().map(|name| EvidenceItem { name: (*name).into(), per_request: 1.0 }).collect();
    let fix = Fix { file: fix.map(Into::into), ..Fix::default() };
    Finding { evidence: Evidence { items, ..Evidence::default() }, fix, ..Finding::default() }
}

#[test]
fn the_first_file_is_the_place() {
    let place = |items: &[&str], fix| of_finding(&finding(items, fix)).map(|place| place.file);
    assert_eq!(place(&["includes/libs", "/srv/app/a.php"], Some("/etc/php.ini")).as_deref(), Some("/srv/app/a.php"));
    assert_eq!(place(&["/proc/self/stat.x", "/srv/app"], Some("/etc/php.ini")).as_deref(), Some("/etc/php.ini"));
    assert_eq!(
        place(&["/dev/fd/x.y", "/run/php/a.sock", "/developers/app/a.php"], None).as_deref(),
        Some("/developers/app/a.php"),
        "a folder that only begins like one of the kernel's"
    );
    assert_eq!(place(&["SELECT 1 / 2.0"], Some("a drop-in of the service")), None);
    let there = Finding { host: Some("db".into()), ..finding(&["/srv/app/a.php"], None) };
    assert_eq!(of_finding(&there), None, "on another host");
}

#[test]
fn the_function_of_the_sentence_is_the_place() {
    let function = |name: &str, line| Function {
        name: name.into(),
        file: format!("/srv/{line}.php"),
        line,
        ..Function::default()
    };
    let profile = ProfileDocument {
        functions: vec![function("Parser", 1), function("Parser::parse", 51), function("parse", 3)],
        ..ProfileDocument::default()
    };
    let summary = "200 calls per request of Parser::parse take 19.1 ± 0.4 % of a request".to_owned();
    let place = of_function(&Finding { summary, ..Finding::default() }, &profile);
    assert_eq!(place, Some(Place { file: "/srv/51.php".into(), line: Some(51) }));
}

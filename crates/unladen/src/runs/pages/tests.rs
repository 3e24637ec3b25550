use proptest::prelude::*;
use unladen_store::NewRun;

use super::*;
use crate::runs::new_run;

fn pages(runs: usize) -> (tempfile::TempDir, Pages) {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("runs.sqlite"));
    let mut store = unladen_store::open(&location, Mode::ReadWrite).unwrap();
    let run = |at: usize| -> NewRun {
        let p50 = 20_000_000 + at as u64;
        let text = format!(
            r#"{{"schema": "unladen.load/1", "target": "http://a/<b>", "ended": "complete", "time": "2026-11-23T05:{:02}:{:02}Z",
                "labels": {{"n": "{at}"}}, "latency_ns": {{"p50": {p50}}},
                "latency_intervals_ns": {{"p50": {{"low": {}, "high": {}}}}}}}"#,
            at / 60,
            at % 60,
            p50 - 1000,
            p50 + 1000
        );
        new_run(text.as_bytes(), None, 0).unwrap()
    };
    let all: Vec<NewRun> = (0..runs).map(run).collect();
    store.keep_all(&all).unwrap();
    (folder, Pages::new(location).unwrap())
}

fn links(page: &str) -> Vec<String> {
    page.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(|link| link.replace("&amp;", "&").replace("&#38;", "&"))
        .collect()
}

#[test]
fn every_link_of_every_page_leads_to_a_page() {
    let (_folder, pages) = pages(60);
    let (mut to_do, mut seen) = (vec!["/".to_owned()], std::collections::BTreeSet::new());
    while let Some(link) = to_do.pop() {
        if !seen.insert(link.clone()) || seen.len() > 300 {
            continue;
        }
        let (path, query) = link.split_once('?').unwrap_or((&link, ""));
        let page = pages.page(path, query);
        assert_eq!(page.status, 200, "{link}: {}", page.body);
        assert!(page.is_json || !page.body.contains("<b>"), "{link} has markup of a target");
        if !page.is_json {
            to_do.extend(links(&page.body).into_iter().filter(|link| link.starts_with('/')));
        }
    }
    // The list has two pages, and each kind of page was led to.
    for kind in ["/?page=", "/run/1", "/compare?", "/trend?", "/run/2.json"] {
        assert!(seen.iter().any(|link| link.starts_with(kind)), "{kind}: {seen:?}");
    }
}

#[test]
fn what_is_not_there_is_told() {
    let (_folder, pages) = pages(2);
    for (path, query, status, words) in [
        ("/run/99", "", 404, "99"),
        ("/run/x", "", 404, "number"),
        ("/etc/passwd", "", 404, "list of runs"),
        ("/compare", "before=1", 400, "two runs"),
        ("/compare", "before=1&after=99", 404, "99"),
        ("/trend", "", 400, "target"),
        ("/trend", "target=http://b/", 404, "http://b/"),
        ("/", "since=soon", 400, "2026-11-23"),
        ("/", "page=<x>", 400, "TIME-NUMBER"),
    ] {
        let page = pages.page(path, query);
        assert_eq!(page.status, status, "{path}?{query}");
        assert!(page.body.contains(words) && !page.body.contains("<x>"), "{path}?{query}: {}", page.body);
    }
}

#[test]
fn a_store_that_went_away_comes_back() {
    let (folder, pages) = pages(2);
    let (there, away) = (folder.path().join("runs.sqlite"), folder.path().join("away"));
    assert_eq!(pages.page("/", "").status, 200);
    *pages.store.lock().unwrap() = None;
    std::fs::rename(&there, &away).unwrap();
    assert_eq!(pages.page("/", "").status, 500);
    std::fs::rename(&away, &there).unwrap();
    assert_eq!(pages.page("/", "").status, 200);
}

#[test]
fn a_form_becomes_a_filter() {
    let query = Query::parse("verb=weigh&target=a%20b&label=release%3D1.43&since=1970-01-02&host=").unwrap();
    let filter = query.filter().unwrap();
    assert_eq!((filter.verb.as_deref(), filter.target.as_deref(), filter.host), (Some("weigh"), Some("a b"), None));
    assert_eq!((filter.labels["release"].as_str(), filter.since_ns), ("1.43", Some(86_400_000_000_000)));
    assert!(Query::parse("label=x").unwrap().filter().is_err());
    assert!(Query::parse("since=soon").unwrap().filter().is_err());
    assert!(Query::parse("until=soon").unwrap().filter().is_err());
    let until = Query::parse("until=1970-01-02").unwrap();
    assert_eq!(until.filter().unwrap().until_ns, Some(86_400_000_000_000));
    assert_eq!(until.first_page(), "until=1970-01-02");
    assert!(Query::parse("page=x").is_err());
}

proptest! {
    #[test]
    fn the_next_page_asks_the_same(target in "[ -~äöü]{1,20}", verb in "weigh|load|", id in 1_u64..1000, time_ns in 0_i64..i64::MAX) {
        let asked = format!("verb={verb}&target={}", in_query(target.trim()));
        let query = Query::parse(&asked).unwrap();
        let position = Position { time_ns, id: unladen_store::RunId::new(id).unwrap() };
        let next = Query::parse(&query.page_before(position)).unwrap();
        prop_assert_eq!(&next.form, &query.form);
        prop_assert_eq!(next.before, Some(position));
        prop_assert_eq!(next.first_page(), query.first_page());
    }

    #[test]
    fn any_query_is_read_or_refused(text in ".{0,200}") {
        if let Ok(query) = Query::parse(&text) {
            let _ = query.filter();
        }
    }
}

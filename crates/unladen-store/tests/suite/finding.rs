//! Runs are found again.

use std::collections::BTreeMap;

use unladen_store::{Filter, NewRun, PAGE, Position, RunId, Store, StoreError};

use super::runs::{ids, run};

pub(crate) fn a_list_is_newest_first_page_by_page(store: &mut dyn Store) {
    // Several at one time, and kept in another order than they were measured in.
    let times = [5, 3, 3, 9, 1, 3, 9, 0, -4, 3];
    let kept: Vec<(i64, RunId)> =
        times.iter().map(|time| (*time, store.keep(&run("weigh", "page", *time)).unwrap())).collect();
    let mut expected = kept.clone();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let expected: Vec<RunId> = expected.into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids(&store.list(&Filter::default()).unwrap()), expected);
    for limit in [1, 3, 4, 10] {
        let (mut found, mut before) = (Vec::new(), None);
        loop {
            let page = store.list(&Filter { limit, before, ..Filter::default() }).unwrap();
            let Some(last) = page.last() else { break };
            before = Some(last.position().to_string().parse::<Position>().unwrap());
            assert!(page.len() <= limit as usize);
            found.extend(ids(&page));
        }
        assert_eq!(found, expected, "pages of {limit}");
    }
    // A page goes on where it ended, whether or not its last run is still there.
    let first = store.list(&Filter { limit: 3, ..Filter::default() }).unwrap();
    store.remove(&ids(&first)).unwrap();
    let next = Filter { before: Some(first[2].position()), ..Filter::default() };
    assert_eq!(ids(&store.list(&next).unwrap()), expected[3..]);
    assert_eq!(store.list(&Filter { limit: 0, ..Filter::default() }).unwrap(), []);
    let error = store.list(&Filter { limit: PAGE + 1, ..Filter::default() }).unwrap_err();
    assert!(matches!(error, StoreError::LongPage { .. }), "{error}");
}

/// Runs of which each filter finds some.
fn various(store: &mut dyn Store) -> Vec<RunId> {
    let labels = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let commit = |commit: &str| Some(commit.to_owned());
    let runs = [
        NewRun { commit: commit("abc123"), labels: labels(&[("release", "1.43")]), ..run("weigh", "http://a/", 10) },
        NewRun {
            commit: commit("abd456"),
            labels: labels(&[("release", "1.44"), ("php", "8.2")]),
            ..run("weigh", "http://a/wiki", 20)
        },
        NewRun { host: "other".to_owned(), labels: labels(&[("php", "8.2")]), ..run("load", "http://a/", 30) },
        NewRun { commit: commit("ab"), labels: labels(&[("php", "1.43")]), ..run("prove", "A%b_c.toml", 40) },
        run("weigh", "http://B/a_wiki", 50),
    ];
    store.keep_all(&runs).unwrap()
}

pub(crate) fn each_filter_finds_what_it_says(store: &mut dyn Store) {
    let kept = various(store);
    let all = Filter::default();
    let text = |text: &str| Some(text.to_owned());
    let label = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
    for (filter, expected) in [
        (all.clone(), vec![4, 3, 2, 1, 0]),
        (Filter { verb: text("weigh"), ..all.clone() }, vec![4, 1, 0]),
        (Filter { verb: text("wei"), ..all.clone() }, vec![]),
        (Filter { target: text("wiki"), ..all.clone() }, vec![4, 1]),
        (Filter { target: text("http://a"), ..all.clone() }, vec![2, 1, 0]),
        (Filter { target: text(""), ..all.clone() }, vec![4, 3, 2, 1, 0]),
        // Letter by letter, and no pattern.
        (Filter { target: text("HTTP"), ..all.clone() }, vec![]),
        (Filter { target: text("%"), ..all.clone() }, vec![3]),
        (Filter { target: text("_"), ..all.clone() }, vec![4, 3]),
        (Filter { exact_target: text("http://a/"), ..all.clone() }, vec![2, 0]),
        (Filter { labels: label("php", "8.2"), ..all.clone() }, vec![2, 1]),
        (Filter { labels: label("php", "8"), ..all.clone() }, vec![]),
        (Filter { labels: label("release", "1.43"), ..all.clone() }, vec![0]),
        (Filter { commit: text("ab"), ..all.clone() }, vec![3, 1, 0]),
        (Filter { commit: text("abc"), ..all.clone() }, vec![0]),
        (Filter { commit: text("abc1234"), ..all.clone() }, vec![]),
        (Filter { commit: text(""), ..all.clone() }, vec![3, 1, 0]),
        (Filter { host: text("other"), ..all.clone() }, vec![2]),
        (Filter { since_ns: Some(30), ..all.clone() }, vec![4, 3, 2]),
        (Filter { until_ns: Some(30), ..all.clone() }, vec![1, 0]),
        (Filter { times_ns: vec![20, 7], ..all.clone() }, vec![1]),
        (Filter { times_ns: vec![7], ..all.clone() }, vec![]),
    ] {
        let expected: Vec<RunId> = expected.into_iter().map(|at: usize| kept[at]).collect();
        assert_eq!(ids(&store.list(&filter).unwrap()), expected, "{filter:?}");
        assert_eq!(store.count(&filter).unwrap(), expected.len() as u64, "{filter:?}");
        let one = Filter { limit: 1, ..filter };
        assert_eq!(ids(&store.list(&one).unwrap()), expected[..expected.len().min(1)], "{one:?}");
        assert_eq!(store.count(&one).unwrap(), expected.len() as u64, "{one:?}");
    }
}

/// Targets whose beginnings are the same differ behind the beginnings that the index has.
pub(crate) fn a_part_of_a_target_is_found_wherever_it_is(store: &mut dyn Store) {
    let long = |end: &str| format!("http://a/?{}{end}", "é".repeat(300));
    let targets = [long("one"), long("two"), "http://a/one".to_owned(), format!("http://a/{}", "x".repeat(191))];
    let kept: Vec<RunId> =
        (0..).zip(&targets).map(|(time, target)| store.keep(&run("weigh", target, time)).unwrap()).collect();
    for (part, expected) in [
        ("one", vec![2, 0]),
        ("two", vec![1]),
        ("three", vec![]),
        ("éo", vec![0]),
        ("xx", vec![3]),
        ("/a/", vec![3, 2, 1, 0]),
        // More than a beginning has.
        (targets[1].as_str(), vec![1]),
        (targets[3].as_str(), vec![3]),
    ] {
        let filter = Filter { target: Some(part.to_owned()), ..Filter::default() };
        let expected: Vec<RunId> = expected.into_iter().map(|at: usize| kept[at]).collect();
        assert_eq!(ids(&store.list(&filter).unwrap()), expected, "{part}");
        assert_eq!(store.count(&filter).unwrap(), expected.len() as u64, "{part}");
    }
}

/// Some targets are followed one by one, and of many the runs are read in order: the answer is the same.
pub(crate) fn few_targets_and_many_are_found_alike(store: &mut dyn Store) {
    // More targets that fit than are followed one by one, then more than are looked through at all.
    for (targets, times) in [(0..150, 1), (150..2_100, 2)] {
        let runs: Vec<NewRun> =
            targets.map(|page| run("weigh", &format!("http://a/{page}/"), times * 10_000 + page)).collect();
        store.keep_all(&runs).unwrap();
        let all = store.list(&Filter { limit: PAGE, ..Filter::default() }).unwrap();
        for part in ["http", "/1/", "/14", "9/", "/0/", "nowhere", "/2099/"] {
            let fits: Vec<_> = all.iter().filter(|run| run.target.contains(part)).cloned().collect();
            let filter = Filter { target: Some(part.to_owned()), limit: PAGE, ..Filter::default() };
            assert_eq!(store.list(&filter).unwrap(), fits, "{part} of {}", all.len());
            assert_eq!(store.count(&filter).unwrap(), fits.len() as u64, "{part} of {}", all.len());
            let page = Filter { limit: 3, ..filter };
            assert_eq!(store.list(&page).unwrap(), fits[..fits.len().min(3)], "{part} of {}", all.len());
        }
    }
}

/// One target of few has more runs than are put in order at once.
pub(crate) fn a_target_of_many_runs_is_found_in_order(store: &mut dyn Store) {
    let runs: Vec<NewRun> = (0..5_300).map(|time| run("weigh", "http://a/", time)).collect();
    store.keep_all(&runs).unwrap();
    store.keep(&run("load", "http://b/", 17)).unwrap();
    let filter = Filter { target: Some("a/".to_owned()), ..Filter::default() };
    assert_eq!(store.count(&filter).unwrap(), 5_300);
    let times: Vec<i64> = store.list(&filter).unwrap().iter().map(|run| run.time_ns).collect();
    assert_eq!(times, (5_200..5_300).rev().collect::<Vec<i64>>());
    let other = store.list(&Filter { target: Some("b/".to_owned()), ..Filter::default() }).unwrap();
    assert_eq!(other.iter().map(|run| run.time_ns).collect::<Vec<i64>>(), [17]);
}

pub(crate) fn filters_together_are_all_met(store: &mut dyn Store) {
    let kept = various(store);
    let both = BTreeMap::from([("php".to_owned(), "8.2".to_owned()), ("release".to_owned(), "1.44".to_owned())]);
    let all = Filter {
        verb: Some("weigh".to_owned()),
        target: Some("a/".to_owned()),
        exact_target: Some("http://a/wiki".to_owned()),
        labels: both,
        commit: Some("abd".to_owned()),
        host: Some("bench".to_owned()),
        since_ns: Some(20),
        until_ns: Some(21),
        times_ns: vec![20, 7],
        before: Some(Position { time_ns: 20, id: kept[2] }),
        limit: 10,
    };
    assert_eq!(ids(&store.list(&all).unwrap()), [kept[1]]);
    assert_eq!(store.count(&all).unwrap(), 1);
    let text = |text: &str| Some(text.to_owned());
    for one in [
        Filter { verb: text("load"), ..all.clone() },
        Filter { target: text("b/"), ..all.clone() },
        Filter { exact_target: text("http://a/"), ..all.clone() },
        Filter { labels: BTreeMap::from([("php".to_owned(), "8.3".to_owned())]), ..all.clone() },
        Filter { commit: text("abc"), ..all.clone() },
        Filter { host: text("other"), ..all.clone() },
        Filter { since_ns: Some(21), ..all.clone() },
        Filter { until_ns: Some(20), ..all.clone() },
        Filter { times_ns: vec![19, 21], ..all.clone() },
        Filter { before: Some(Position { time_ns: 20, id: kept[1] }), ..all.clone() },
    ] {
        assert_eq!(store.count(&one).unwrap(), 0, "{one:?}");
    }
}

pub(crate) fn a_run_that_does_not_exist_has_neighbours(store: &mut dyn Store) {
    let far = RunId::new(u64::MAX >> 1).unwrap();
    let said = |store: &mut dyn Store, id: RunId| store.run(id).unwrap_err().to_string();
    assert_eq!(said(store, far), format!("there is no run {far}: the store is empty"));
    let runs: Vec<NewRun> = (0..5).map(|time| run("weigh", "page", time)).collect();
    let kept = store.keep_all(&runs).unwrap();
    assert_eq!(said(store, far), format!("there is no run {far}: the nearest is {}", kept[4]));
    store.remove(&[kept[0], kept[2]]).unwrap();
    let (id, low, high) = (kept[2], kept[1], kept[3]);
    assert_eq!(said(store, id), format!("there is no run {id}: the nearest are {low} and {high}"));
    assert_eq!(said(store, kept[0]), format!("there is no run {}: the nearest is {}", kept[0], kept[1]));
    assert!(matches!(store.evidence(id), Err(StoreError::NoSuchRun { .. })));
}

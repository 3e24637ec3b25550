//! What is kept comes back.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use unladen_store::{
    DOCUMENT_BYTES, EVIDENCE_BYTES, Filter, LABEL_KEY_BYTES, LABEL_VALUE_BYTES, LABELS, NewRun, Store, StoreError,
    TARGET_BYTES,
};

use super::runs::{run, seen};

/// By number, in lists and with its evidence.
fn comes_back(store: &mut dyn Store, new: &NewRun) {
    let id = store.keep(new).unwrap();
    let kept = store.run(id).unwrap();
    assert_eq!(kept.summary.id, id);
    assert_eq!(NewRun { document: kept.document, evidence: store.evidence(id).unwrap(), ..seen(&kept.summary) }, *new);
    assert_eq!(kept.summary.document_bytes, new.document.len() as u64);
    assert_eq!(kept.summary.evidence_bytes, new.evidence.as_ref().map(|evidence| evidence.len() as u64));
    assert!(kept.summary.stored_bytes > 0);
    let filter = Filter {
        exact_target: Some(new.target.clone()),
        labels: new.labels.clone(),
        commit: new.commit.clone(),
        since_ns: Some(new.time_ns),
        ..Filter::default()
    };
    assert!(store.list(&filter).unwrap().contains(&kept.summary), "{filter:?}");
}

pub(crate) fn a_run_comes_back_as_it_was_kept(store: &mut dyn Store) {
    assert_eq!(store.count(&Filter::default()).unwrap(), 0);
    assert!(store.list(&Filter::default()).unwrap().is_empty());
    let labels = BTreeMap::from([("release".to_owned(), "1.43".to_owned()), ("php".to_owned(), String::new())]);
    let whole = NewRun {
        commit: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
        dirty: true,
        labels,
        evidence: Some(br#"{"schema": "unladen.evidence/1"}"#.to_vec()),
        ..run("weigh", "http://127.0.0.1:8080/", 1_795_410_000_123_456_789)
    };
    comes_back(store, &whole);
    comes_back(store, &run("load", "http://127.0.0.1:8080/", 0));
    assert_eq!(store.count(&Filter::default()).unwrap(), 2);
}

pub(crate) fn any_run_comes_back_as_it_was_kept(store: &mut dyn Store) {
    let text = || "[^\\x00]{0,40}";
    let labels = prop::collection::btree_map("[a-zA-Z][a-zA-Z0-9_./-]{0,20}", "\\PC{0,30}", 0..4);
    let texts = (text(), text(), text(), text(), text());
    let rest = (any::<i64>(), prop::option::of("[0-9a-f]{4,40}"), any::<bool>(), labels);
    let contents = (".{0,200}", prop::option::of(prop::collection::vec(any::<u8>(), 0..2000)));
    let runs = (texts, rest, contents).prop_map(|(texts, rest, (document, evidence))| {
        let (verb, target, host, version, ended) = texts;
        let (time_ns, commit, dirty, labels) = rest;
        let document = serde_json::json!({ "what": document }).to_string();
        NewRun { verb, target, time_ns, host, version, ended, commit, dirty, labels, document, evidence }
    });
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let store = std::cell::RefCell::new(store);
    let comes_back = |new| {
        comes_back(&mut **store.borrow_mut(), &new);
        Ok(())
    };
    runner.run(&runs, comes_back).unwrap();
}

pub(crate) fn hostile_texts_are_texts(store: &mut dyn Store) {
    for text in [
        "'; DROP TABLE runs; --",
        "\" OR 1 = 1 --",
        "$1 ?1 %_\\ {text}",
        "zwei\nZeilen\r\tund \u{1b}[31mRot",
        "😀 \u{202e}drawkcab ü",
    ] {
        let label = text.replace(char::is_control, " ");
        let new = NewRun {
            host: text.to_owned(),
            labels: BTreeMap::from([("note".to_owned(), label)]),
            document: serde_json::json!({ "target": text }).to_string(),
            ..run(text, text, 7)
        };
        comes_back(store, &new);
        let part = Filter { target: Some(text.chars().skip(1).collect()), ..Filter::default() };
        assert_eq!(store.count(&part).unwrap(), 1, "{text}");
    }
}

pub(crate) fn evidence_of_any_bytes_comes_back(store: &mut dyn Store) {
    let mut random = fastrand::Rng::with_seed(18);
    for bytes in [0, 1, 3_000_000] {
        let evidence = std::iter::repeat_with(|| random.u8(..)).take(bytes).collect();
        comes_back(store, &NewRun { evidence: Some(evidence), ..run("weigh", "random", 1) });
    }
    let even = vec![b' '; 40_000_000];
    let id = store.keep(&NewRun { evidence: Some(even), ..run("weigh", "even", 1) }).unwrap();
    assert!(store.run(id).unwrap().summary.stored_bytes < 100_000);
    assert_eq!(store.evidence(id).unwrap().unwrap().len(), 40_000_000);
}

pub(crate) fn runs_are_kept_all_or_none(store: &mut dyn Store) {
    let runs: Vec<NewRun> = (0..20).map(|time| run("weigh", &format!("page {time}"), time)).collect();
    let ids = store.keep_all(&runs).unwrap();
    assert!(ids.is_sorted() && ids.len() == 20);
    for (id, run) in ids.iter().zip(&runs) {
        assert_eq!(store.run(*id).unwrap().document, run.document);
    }
    let half = NewRun { document: r#"{"schema": "#.to_owned(), ..run("weigh", "half", 3) };
    let error = store.keep_all(&[run("weigh", "whole", 3), half]).unwrap_err();
    assert!(matches!(error, StoreError::Unfit { what: "the document", .. }), "{error}");
    assert_eq!(store.count(&Filter::default()).unwrap(), 20);
    assert!(store.keep_all(&[]).unwrap().is_empty());
}

pub(crate) fn what_is_too_large_is_refused(store: &mut dyn Store) {
    let good = run("weigh", "page", 1);
    let label = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
    let document = format!("{{\"a\": \"{}\"}}", "x".repeat(DOCUMENT_BYTES));
    let many = (0..=LABELS).map(|number| (format!("k{number}"), String::new())).collect();
    for (expected, new) in [
        ("the document has", NewRun { document, ..good.clone() }),
        ("the evidence has", NewRun { evidence: Some(vec![0; EVIDENCE_BYTES + 1]), ..good.clone() }),
        ("the target has", NewRun { target: "x".repeat(TARGET_BYTES + 1), ..good.clone() }),
        ("the host's name has", NewRun { host: "x".repeat(300), ..good.clone() }),
        ("the verb cannot be kept: it has a NUL", NewRun { verb: "a\0b".to_owned(), ..good.clone() }),
        ("the commit cannot be kept", NewRun { commit: Some("HEAD~1".to_owned()), ..good.clone() }),
        ("it is not a JSON object", NewRun { document: "[]".to_owned(), ..good.clone() }),
        ("it is not JSON", NewRun { document: "{} {}".to_owned(), ..good.clone() }),
        ("the run has 65 labels", NewRun { labels: many, ..good.clone() }),
        ("the label's key `1a` is not", NewRun { labels: label("1a", "x"), ..good.clone() }),
        ("the value of the label `a` has 257", NewRun { labels: label("a", &"x".repeat(257)), ..good.clone() }),
        ("has a control character", NewRun { labels: label("a", "b\nc"), ..good.clone() }),
    ] {
        let error = store.keep(&new).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(store.count(&Filter::default()).unwrap(), 0);
    comes_back(store, &good);
}

/// An index of PostgreSQL takes no entry above 2,704 bytes.
pub(crate) fn the_largest_texts_and_most_labels_are_kept(store: &mut dyn Store) {
    let mut random = fastrand::Rng::with_seed(19);
    // Not compressible: what is, is smaller in an index.
    let mut text = |bytes: usize| -> String { std::iter::repeat_with(|| random.alphanumeric()).take(bytes).collect() };
    let labels = (0..LABELS).map(|_| (format!("a{}", text(LABEL_KEY_BYTES - 1)), text(LABEL_VALUE_BYTES))).collect();
    let new = NewRun {
        target: text(TARGET_BYTES),
        host: text(256),
        commit: Some(text(256)),
        labels,
        ..run(&text(256), "", i64::MAX)
    };
    comes_back(store, &NewRun { target: "😀".repeat(TARGET_BYTES / 4), ..new.clone() });
    comes_back(store, &NewRun { time_ns: i64::MIN, ..new });
}

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_no_result_is_refused_with_its_reason() {
    let message = |text: &str| Document::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message("{\n \"schema\": }"), "not JSON at line 2, column 12: expected value");
    assert_eq!(message(""), "not JSON at line 1, column 0: EOF while parsing a value");
    assert_eq!(message("[1]"), "no `schema`: not a document that Unladen's `--json` wrote");
    assert_eq!(message(r#"{"schema": 3}"#), message("{}"));
    assert_eq!(
        message(r#"{"schema": "unladen.weigh/2"}"#),
        "the schema is `unladen.weigh/2`, newer than `unladen.weigh/1`, which this version of Unladen reads; update Unladen"
    );
    let unknown = message("{\"schema\": \"unladen.serve/1\\u001b[31m\"}");
    assert!(
        unknown.starts_with("the schema is `unladen.serve/1[31m`; results of measurements are `unladen.weigh/1`, ")
    );
    assert_eq!(
        message("{\"schema\": \"unladen.load/1\",\n\"requests\": \"many\"}"),
        "not a document of `unladen.load/1`, at line 2, column 18: invalid type: string \"many\", expected u64"
    );
}

/// Names of fields of all documents: arbitrary documents of these reach deeper than ones of random names.
const NAMES: [&str; 24] = [
    "schema",
    "target",
    "requests",
    "weights",
    "url",
    "latency_ns",
    "p50",
    "low",
    "high",
    "findings",
    "evidence",
    "figures",
    "share",
    "within",
    "statuses",
    "distribution",
    "machine",
    "reference",
    "ns",
    "labels",
    "setups",
    "self",
    "callers",
    "comparisons",
];

fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<u64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::btree_map(proptest::sample::select(&NAMES[..]), inner, 0..6).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// Written and read again, it is the same.
fn survives(document: &Document) {
    let text = serde_json::to_vec(document).unwrap();
    assert_eq!(&Document::read(&text).unwrap(), document);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Document::read(&bytes);
    }

    #[test]
    fn any_fields_are_read_or_refused(
        schema in proptest::sample::select(&SCHEMAS[..]),
        fields in proptest::collection::btree_map(proptest::sample::select(&NAMES[1..]), values(), 0..6),
    ) {
        let mut fields: serde_json::Map<_, _> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        fields.insert("schema".into(), schema.into());
        match Document::read(serde_json::Value::from(fields).to_string().as_bytes()) {
            Ok(document) => survives(&document),
            Err(error) => prop_assert!(error.to_string().starts_with("not a document of "), "{error}"),
        }
    }
}

#[test]
fn a_document_without_fields_is_read() {
    for schema in SCHEMAS {
        let document = Document::read(format!(r#"{{"schema": "{schema}"}}"#).as_bytes()).unwrap();
        survives(&document);
        assert_eq!(schema, format!("unladen.{}/1", document.verb()));
        assert_eq!((document.target(), document.warnings().len()), ("", 0));
    }
}

#[test]
fn what_is_said_of_the_run_stands_at_the_top() {
    let text = r#"{"schema": "unladen.load/1", "seed": 18446744073709551615, "time": "2026-11-23T05:00:00Z", "host": "a",
        "command": ["unladen", "load"], "labels": {"release": "1.43"}, "revision": {"commit": "0a1b", "dirty": true},
        "machine": {"stolen_share": 0.01, "reference": [{"name": "memory", "ns": 120, "low": 119.5, "high": 120.5}]},
        "later": {"unknown": [1, null]}}"#;
    let document = Document::read(text.as_bytes()).unwrap();
    let about = document.about();
    assert_eq!((about.seed, about.host.as_deref()), (Some(u64::MAX), Some("a")));
    assert_eq!(about.revision.as_ref().unwrap().commit.as_deref(), Some("0a1b"));
    assert_eq!(about.machine.as_ref().unwrap().reference[0].high, 120.5);
    assert_eq!(about.labels["release"], "1.43");
    survives(&document);
}

#[test]
fn names_that_are_data_keep_their_order() {
    let text = r#"{"schema": "unladen.load/1", "within": {"250ms": 0.5, "1s": 0.9, "10s": 1.0}}"#;
    let document = Document::read(text.as_bytes()).unwrap();
    let Document::Load(load) = &document else { panic!("{document:?}") };
    assert_eq!(load.within.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["250ms", "1s", "10s"]);
    assert_eq!(load.within.get("1s"), Some(&0.9));
    assert!(serde_json::to_string(&document).unwrap().contains(r#""within":{"250ms":0.5,"1s":0.9,"10s":1.0}"#));
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = format!(r#"{{"schema": "unladen.load/1", "x": {}"#, "[".repeat(100_000));
    assert!(matches!(Document::read(deep.as_bytes()), Err(DocumentError::NotJson { .. })));
    let large = vec![b' '; MOST_BYTES + 1];
    let message = Document::read(&large).unwrap_err().to_string();
    assert_eq!(message, "the document has 67108865 bytes; at most 67108864 are read");
}

/// Documents of before 2026-11-28 tell what a finding takes alone, and not for whom its fix is.
#[test]
fn a_finding_without_a_bound_is_read() {
    let finding =
        r#"{"rule": "sleep", "share": {"known": true, "of": "latency", "value": 0.5, "time_ns": {"value": 9}}}"#;
    let text = format!(r#"{{"schema": "unladen.weigh/1", "findings": [{finding}]}}"#);
    let Document::Weigh(document) = Document::read(text.as_bytes()).unwrap() else { panic!("{text}") };
    let finding = &document.findings[0];
    assert_eq!((finding.share.value, finding.saves_at_most_ns, finding.takes_ns), (Some(0.5), None, None));
    assert!(finding.saves.why.is_none() && finding.fix.audience.is_empty());
}

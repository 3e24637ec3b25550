use super::*;
use unladen_store::RunId;

fn run(id: u64, target: &str) -> RunSummary {
    RunSummary {
        id: RunId::new(id).unwrap(),
        time_ns: 1_795_410_000_000_000_000,
        verb: "weigh".into(),
        target: target.into(),
        host: "web1".into(),
        version: "0.1.0".into(),
        ended: if id == 2 { "interrupted" } else { "complete" }.into(),
        commit: (id == 1).then(|| "4f2a9c00deadbeef".into()),
        dirty: id == 1,
        labels: if id == 1 { [("release".into(), "1.43".into())].into() } else { Default::default() },
        document_bytes: 1,
        evidence_bytes: None,
        stored_bytes: 1,
    }
}

#[test]
fn a_list_reads_like_this() {
    let long = format!("http://wiki.example/{}/Main_Page", "x".repeat(80));
    let mut labelled = run(1, "http://a/");
    labelled.labels.insert("why".into(), "x".repeat(200));
    assert!(table(&[labelled], &[String::new()], 100).lines().all(|line| line.chars().count() <= 120));
    let results = ["24.3 ± 0.5 ms CPU, 2 findings".to_owned(), String::new(), String::new()];
    insta::assert_snapshot!(table(
        &[run(12, &long), run(2, "http://a/"), run(1, "http://a/\u{1b}[31m")],
        &results,
        100
    ));
}

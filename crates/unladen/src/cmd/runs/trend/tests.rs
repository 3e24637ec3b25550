use super::*;

/// A target and a version come out of files that somebody may have sent.
#[test]
fn a_trend_steers_no_terminal_and_says_nothing_of_too_few_runs() {
    let hostile = "http://a/\u{1b}[31m\n::error::\u{202e}";
    let text_of = format!(
        r#"{{"schema": "unladen.load/1", "target": {}, "latency_ns": {{"p50": 20000000}},
                "latency_intervals_ns": {{"p50": {{"low": 19900000, "high": 20100000}}}}}}"#,
        serde_json::Value::from(hostile)
    );
    let document = unladen_document::Document::read(text_of.as_bytes()).unwrap();
    let all = [document.clone(), document];
    let shown = text(&trend(&all.iter().collect()), false);
    assert!(shown.starts_with("load http://a/␛[31m␊::error::‹U+202E›: 2 runs\n"), "{shown}");
    assert!(shown.contains("too few runs") && !shown.contains("  no\n"), "{shown}");
}

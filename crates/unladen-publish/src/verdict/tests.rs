use unladen_document::OpenSpan;

use super::*;

fn comparison(metric: &str, unit: &str, verdict: &str, ratio: Option<f64>, difference: f64) -> Comparison {
    let margin = if unit == "ns" { 9e3 } else { 1e-3 };
    Comparison {
        metric: metric.into(),
        unit: unit.into(),
        verdict: verdict.into(),
        ratio,
        low: ratio.map(|ratio| ratio - 0.01),
        high: ratio.map(|ratio| ratio + 0.01),
        difference: OpenSpan { value: difference, low: Some(difference - margin), high: Some(difference + margin) },
        baseline: Some(0.2),
        floor: Some(0.01),
        ..Comparison::default()
    }
}

#[test]
fn verdicts_read_as_on_the_terminal() {
    let text = |metric, unit, word, ratio, difference| verdict(&comparison(metric, unit, word, ratio, difference));
    assert_eq!(text("latency.p50", "ns", "faster", Some(0.866), -3e6), "faster by 13.4 % (12.4 to 14.4)");
    assert_eq!(text("within.25ms", "1", "faster", Some(4.6), 0.675), "more by 67.5 points (67.4 to 67.6)");
    assert_eq!(text("throughput", "1/s", "slower", Some(0.9), -4.0), "less by 10.0 % (9.0 to 11.0)");
    assert_eq!(text("bytes.body", "B", "lighter", Some(0.18), -4_100.0), "lighter by 82.0 % (81.0 to 83.0)");
    assert_eq!(text("statuses.503", "1", "more", None, 0.25), "more by 25.0 points (24.9 to 25.1)");
    assert_eq!(text("weight.cpu redis", "ns", "heavier", None, 210_000.0), "heavier by 210.0 ± 9.0 µs");
    assert_eq!(
        text("latency.p99", "ns", "no measurable difference", Some(1.0), 0.0),
        "no measurable difference within ±5 % (−1.0 to +1.0 %)"
    );
    assert_eq!(text("latency.p99", "ns", "too few blocks", None, 0.0), "unclear (−9.00 µs to +9.00 µs)");
    assert_eq!(text("latency.p99", "ns", "unheard of", Some(2.0), 0.0), "unclear (+99.0 to +101 %)");
}

#[test]
fn titles_read_as_on_the_terminal() {
    assert_eq!(title("cold.latency.p50"), "cold p50");
    assert_eq!(title("within.500us"), "within 500 µs");
    assert_eq!(title("within.2500ms"), "within 2.5 s");
    assert_eq!(title("within.soon"), "within soon");
    assert_eq!(title("throughput"), "throughput");
    assert_eq!((title("bytes.body"), title("statuses.304")), ("body bytes".into(), "status 304".into()));
    assert_eq!(title("weight.cpu www-data php-fpm8.2"), "weight cpu www-data php-fpm8.2");
}

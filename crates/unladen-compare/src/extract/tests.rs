use super::*;
use crate::row::Kind;

fn read(text: &str) -> Vec<(Key, Measured)> {
    figures(&Document::read(text.as_bytes()).unwrap())
}

fn find<'a>(figures: &'a [(Key, Measured)], metric: &str) -> &'a Measured {
    figures
        .iter()
        .find_map(|(key, measured)| (key.metric == metric).then_some(measured))
        .unwrap_or_else(|| panic!("{metric}: {figures:?}"))
}

#[test]
fn a_load_has_latencies_shares_errors_and_sizes() {
    let figures = read(
        r#"{"schema": "unladen.load/1", "planned": 1000, "requests": 1000, "throughput": 99.5, "bytes_received": 5000,
        "latency_ns": {"mean": 20, "p50": 10, "p99": 90, "max": 95},
        "latency_intervals_ns": {"mean": {"low": 16, "high": 25}, "p50": {"low": 9, "high": 12}},
        "within": {"50ms": 0.98}, "capacity": {"highest": 80.0, "lowest_broken": 90.0}}"#,
    );
    assert!(find(&figures, "latency.p50").headline);
    assert_eq!(figures.iter().filter(|(key, _)| key.kind == Kind::Latency).count(), 2);
    let within = find(&figures, "within.50ms").figure;
    assert!((0.965..0.98).contains(&within.low.unwrap()) && (0.98..0.99).contains(&within.high.unwrap()), "{within:?}");
    let errors = find(&figures, "errors").figure;
    assert!(errors.value == 0.0 && errors.low == Some(0.0) && errors.high.unwrap() < 0.005, "{errors:?}");
    assert_eq!((find(&figures, "throughput").figure.value, find(&figures, "capacity").figure.high), (99.5, Some(90.0)));
    assert_eq!(find(&figures, "response.bytes").figure.value, 5.0);
}

/// A gate failed for a throughput that nobody knew to a tenth: it had no interval, and was taken for exact.
#[test]
fn a_throughput_is_known_as_well_as_the_mean_latency() {
    let of = |mean: &str| {
        read(&format!(r#"{{"schema": "unladen.load/1", "throughput": 100.0, "latency_ns": {{"mean": 20}}{mean}}}"#))
    };
    let figure = find(&of(r#", "latency_intervals_ns": {"mean": {"low": 16, "high": 25}}"#), "throughput").figure;
    assert_eq!((figure.value, figure.low, figure.high), (100.0, Some(80.0), Some(125.0)));
    assert!(of("").is_empty(), "without an interval nothing can be said of it");
}

#[test]
fn an_experiment_has_effects_and_figures_of_its_arms() {
    let figures = read(
        r#"{"schema": "unladen.prove/1", "comparisons": [{"arm": "candidate", "metric": "latency.p50", "unit": "ns",
        "candidate": 80, "candidate_low": 79, "candidate_high": 81, "ratio": 0.8, "low": 0.79, "high": 0.81}]}"#,
    );
    assert!(find(&figures, "effect.latency.p50").headline && !find(&figures, "latency.p50").headline);
    assert!(figures.iter().all(|(key, _)| key.arm.as_deref() == Some("candidate")));
    assert_eq!(figures[0].0.words().0.into_str(), "slower");
}

#[test]
fn a_profile_has_shares_of_functions() {
    let figures = read(
        r#"{"schema": "unladen.profile/1", "target": "http://a/", "setup": {"plain_ns": {"value": 9, "low": 8, "high": 10}},
        "functions": [{"name": "f", "file": "a.php", "self_share": {"value": 0.2, "low": 0.1, "high": 0.3},
        "total_share": {"value": 0.001, "low": null, "high": null}}]}"#,
    );
    assert!(find(&figures, "latency.mean").headline && find(&figures, "function.self f").shown);
    assert_eq!(figures.len(), 2);
}

#[test]
fn figures_that_are_no_numbers_are_left_out() {
    let mut document =
        Document::read(br#"{"schema": "unladen.weigh/1", "urls": [{"url": "u", "requests": 1, "total_cpu_ns": {}}]}"#)
            .unwrap();
    assert_eq!(figures(&document).len(), 2);
    let Document::Weigh(weigh) = &mut document else { panic!() };
    weigh.urls[0].total_cpu_ns.as_mut().unwrap().high = f64::INFINITY;
    assert_eq!(figures(&document).iter().map(|(key, _)| key.metric.as_str()).collect::<Vec<_>>(), ["response.bytes"]);
}

/// A status that is fine came to be heavier.
#[test]
fn more_answers_of_an_errors_status_are_worse_and_of_others_nothing_is_said() {
    let figures = read(
        r#"{"schema": "unladen.prove/1", "comparisons": [
            {"arm": "a", "metric": "statuses.200", "unit": "1", "candidate": 0.9, "candidate_low": 0.8, "candidate_high": 1},
            {"arm": "a", "metric": "statuses.5xx", "unit": "1", "candidate": 0.1, "candidate_low": 0, "candidate_high": 0.2},
            {"arm": "a", "metric": "bytes.body", "unit": "B", "candidate": 900, "candidate_low": 900, "candidate_high": 900}]}"#,
    );
    let kinds: Vec<_> = figures.iter().map(|(key, _)| (key.metric.as_str(), key.kind)).collect();
    assert_eq!(kinds, [("statuses.5xx", Kind::Errors), ("bytes.body", Kind::Size)]);
}

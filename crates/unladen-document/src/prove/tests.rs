use super::*;

fn said(metric: &str, verdict: &str) -> Change {
    Change::of(verdict, Metric::of(metric))
}

#[test]
fn each_word_is_read_as_it_is_written() {
    for name in ["latency.p50", "cold.latency.mean", "within.50ms", "throughput", "weight.cpu php", "bytes.body"] {
        let metric = Metric::of(name);
        Change::ALL.into_iter().for_each(|change| assert_eq!(Change::of(change.as_str(metric), metric), change));
    }
    let statuses = ["statuses.503", "statuses.5xx", "statuses.304", "statuses.200"].into_iter();
    let ways: Vec<Change> =
        statuses.zip(["more", "less", "more", "less"]).map(|(name, word)| said(name, word)).collect();
    assert_eq!(ways, [Change::Worse, Change::Better, Change::Better, Change::Worse]);
}

/// Documents of earlier versions say so.
#[test]
fn too_few_blocks_is_unclear() {
    assert_eq!(said("latency.p50", "too few blocks"), Change::Unclear);
    assert_eq!(said("latency.p50", "unheard of"), Change::Unclear);
}

/// −3.6 % with −25.0 to +23.4 % was "no measurable difference" in documents that name no margin.
#[test]
fn a_wide_interval_of_an_earlier_version_was_equal() {
    let of = |low, high, margin| Comparison {
        metric: "latency.p50".to_owned(),
        verdict: "no measurable difference".to_owned(),
        ratio: Some(f64::midpoint(low, high)),
        low: Some(low),
        high: Some(high),
        margin,
        ..Comparison::default()
    };
    assert_eq!(of(0.75, 1.234, None).change(), Change::Unclear);
    assert_eq!(of(0.99, 1.02, None).change(), Change::Equal);
    assert_eq!(of(0.92, 1.02, Some(0.1)).change(), Change::Equal, "what a document says of itself stays");
    let within = Comparison { metric: "within.50ms".to_owned(), ..of(0.99, 1.02, None) };
    assert_eq!(within.change(), Change::Unclear, "its difference is unknown");
}

#[test]
fn what_is_undecided_fails_where_it_has_to_be_decided() {
    let gate = |broken, untold| Gate { broken, untold, ..Gate::default() };
    let mut gates = [gate(true, false), gate(false, true), gate(false, false)];
    Gate::be_strict(&mut gates);
    assert_eq!(gates.map(|gate| gate.broken), [true, true, false]);
}

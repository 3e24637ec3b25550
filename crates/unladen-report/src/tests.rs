//! Whatever a result holds, every format writes it.

pub(crate) mod sample;

use proptest::prelude::*;
use unladen_document::{
    Change, Interval, Latencies, LatencyIntervals, LoadDocument, Metric, OpenSpan, ProveDocument, Slice,
};

use crate::{FORMATS, Report, Style, Unfit};

fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        Just(-1e300),
        -10.0_f64..10.0,
        0.0_f64..1e12,
    ]
}

fn odd_ns() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0_u64..10_000_000_000]
}

fn odd_span() -> impl Strategy<Value = OpenSpan> {
    let ends = || prop_oneof![odd().prop_map(Some), Just(None)];
    (odd(), ends(), ends()).prop_map(|(value, low, high)| OpenSpan { value, low, high })
}

fn odd_name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("\u{1b}[31m<&>\"\n\u{2061}".to_owned()), "\\PC{0,80}"]
}

fn latency(ns: &[u64]) -> (Latencies, LatencyIntervals) {
    let names = ["p50", "p90", "p999", "odd", "mean", "sd", "max"].map(str::to_owned);
    let intervals = names.iter().map(|name| (name.clone(), Interval { low: ns[1], high: ns[2] })).collect();
    (names.into_iter().zip(ns.iter().copied()).collect(), intervals)
}

/// A load all of whose numbers are odd.
fn odd_load() -> impl Strategy<Value = LoadDocument> {
    let numbers = proptest::collection::vec(odd(), 8);
    (numbers, proptest::collection::vec(odd_ns(), 12), odd_name(), 0_usize..3).prop_map(|(numbers, ns, name, keep)| {
        let mut load = if keep == 2 { sample::searched() } else { sample::overloaded() };
        (load.target, load.rate) = (name.clone(), Some(numbers[0]));
        (load.throughput, load.planned, load.requests, load.elapsed_ns) = (numbers[1], ns[0], ns[1], ns[2]);
        (load.latency_ns, load.latency_intervals_ns) = latency(&ns);
        let bounds = [format!("{}ns", ns[3]), format!("{}s", u64::MAX), name.clone()];
        load.within = bounds.into_iter().zip(numbers[2..5].iter().copied()).collect();
        load.distribution = vec![(ns[4], numbers[4]), (ns[5], numbers[5]), (ns[6], numbers[6])];
        load.distribution.truncate(keep);
        let busy = Unfit::Busy { share: numbers[7], taken: None };
        sample::set_unfit(&mut load, &[busy, Unfit::Late { p99: ns[7], limit: ns[8], because: None }]);
        for (slice, ns) in load.timeline.iter_mut().zip(ns.windows(4)) {
            let (start_ns, length_ns, planned, errors) = (ns[0], ns[1], ns[2], ns[3] / 60);
            *slice = Slice { start_ns, length_ns, planned, errors, p50: ns[1], p99: ns[2], max: ns[0] };
        }
        for (_, example) in &mut load.error_examples {
            example.clone_from(&name);
        }
        if let Some(found) = &mut load.capacity {
            (found.limit, found.highest, found.lowest_broken) = (name, Some(numbers[3]), None);
        }
        load
    })
}

/// A proof all of whose numbers are odd.
fn odd_proof() -> impl Strategy<Value = ProveDocument> {
    let comparisons = proptest::collection::vec((odd(), odd(), odd(), odd_span(), odd_span(), 0_u8..24), 4..20);
    (0_u8..3, comparisons, proptest::collection::vec(odd_ns(), 12), odd_name()).prop_map(|(which, odds, ns, name)| {
        let mut proof = [sample::class_map, sample::five_patches, sample::two_knobs][usize::from(which)]();
        for (comparison, (baseline, candidate, floor, ratio, difference, choice)) in
            proof.comparisons.iter_mut().zip(odds)
        {
            let names = ["latency.p50", "within.50ms", "throughput", "weight.cpu php", "bytes.body", "statuses.304"];
            comparison.metric = names[usize::from(choice % 6)].to_owned();
            let figures = (Some(baseline), Some(candidate), Some(floor));
            (comparison.baseline, comparison.candidate, comparison.floor) = figures;
            let has_ratio = choice % 2 == 0;
            (comparison.ratio, comparison.difference) = (has_ratio.then_some(ratio.value), difference);
            (comparison.low, comparison.high) = (ratio.low, ratio.high);
            let change = [Change::Better, Change::Worse, Change::Equal, Change::Unclear][usize::from(choice / 4 % 4)];
            comparison.verdict = change.as_str(Metric::of(&comparison.metric)).to_owned();
            (comparison.candidate_low, comparison.candidate_high) = (ratio.low, ratio.high);
            comparison.adjusted_p = floor;
            if choice > 20 {
                comparison.metric = name.clone();
            }
        }
        for (arm, ns) in proof.arms.iter_mut().zip(ns.windows(5)) {
            if let Some(plot) = &mut arm.box_plot_ns {
                (plot.p5, plot.p25, plot.p50, plot.p75, plot.p95) = (ns[0], ns[1], ns[2], ns[3], ns[4]);
            }
            arm.distribution = vec![(ns[0], ns[1] as f64), (ns[2], f64::NAN), (ns[3], 0.5)];
        }
        for interaction in &mut proof.interactions {
            interaction.ratio = f64::NAN;
        }
        (proof.title, proof.target) = (name.clone(), name);
        proof
    })
}

fn check(name: &str, out: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8(out.to_vec()).unwrap();
    // A name may say so; a number may not.
    prop_assert!(!text.contains("NaN") && !text.contains("inf,") && !text.contains(" inf "), "{}: {}", name, text);
    match name {
        "json" => {
            serde_json::from_str::<serde_json::Value>(&text).unwrap();
        }
        _ => prop_assert!(!text.contains('\u{1b}'), "{}: an escape sequence", name),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_format_writes_any_load(load in odd_load(), width in 0_u16..220) {
        for format in FORMATS {
            let mut out = Vec::new();
            format.write(Report::Load(&load), Style::plain(width), &mut out).unwrap();
            check(format.name(), &out)?;
        }
    }

    #[test]
    fn every_format_writes_any_proof(proof in odd_proof(), width in 0_u16..220) {
        for format in FORMATS {
            let mut out = Vec::new();
            format.write(Report::Prove(&proof), Style::plain(width), &mut out).unwrap();
            check(format.name(), &out)?;
        }
    }
}

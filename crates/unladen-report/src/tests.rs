//! Whatever a result holds, every format writes it.

pub(crate) mod sample;

use proptest::prelude::*;
use unladen_document::About;

use unladen_quantity::Span;

use crate::latency::{Latency, LatencyQuantile};
use crate::{Change, FORMATS, Load, Metric, Prove, Slice, Style, Unfit};
use std::time::Duration;

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

fn odd_span() -> impl Strategy<Value = Span> {
    (odd(), odd(), odd()).prop_map(|(value, low, high)| Span { value, low, high })
}

fn odd_name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("\u{1b}[31m<&>\"\n\u{2061}".to_owned()), "\\PC{0,80}"]
}

fn latency(numbers: &[f64], ns: &[u64]) -> Latency {
    let quantile = |name| LatencyQuantile { name, value: ns[0], interval: Some((ns[1], ns[2])), needs: ns[3] };
    Latency {
        mean: numbers[0],
        mean_interval: Some((numbers[1], numbers[2])),
        sd: numbers[3],
        max: ns[4],
        quantiles: ["p50", "p90", "p99.9", "odd"].map(quantile).to_vec(),
    }
}

/// A load all of whose numbers are odd.
fn odd_load() -> impl Strategy<Value = Load> {
    let numbers = proptest::collection::vec(odd(), 8);
    (numbers, proptest::collection::vec(odd_ns(), 12), odd_name(), 0_usize..3).prop_map(|(numbers, ns, name, keep)| {
        let mut load = if keep == 2 { sample::searched() } else { sample::overloaded() };
        (load.setup.target, load.setup.rate) = (name.clone(), Some(numbers[0]));
        (load.throughput, load.planned, load.requests, load.elapsed) =
            (numbers[1], ns[0], ns[1], Duration::from_nanos(ns[2]));
        load.latency = Some(latency(&numbers, &ns));
        load.within = vec![(Duration::from_nanos(ns[3]), numbers[2]), (Duration::MAX, numbers[3])];
        load.distribution = vec![(ns[4], numbers[4]), (ns[5], numbers[5]), (ns[6], numbers[6])];
        load.distribution.truncate(keep);
        load.unfit = vec![
            Unfit::Busy { share: numbers[7], taken: None },
            Unfit::Late { p99: ns[7], limit: ns[8], because: None },
        ];
        for (slice, ns) in load.timeline.iter_mut().zip(ns.windows(4)) {
            let (start_ns, length_ns, planned, errors) = (ns[0], ns[1], ns[2], ns[3] / 60);
            *slice = Slice { start_ns, length_ns, planned, errors, p50: ns[1], p99: ns[2], max: ns[0] };
        }
        for error in &mut load.errors {
            error.first = name.clone();
        }
        if let Some(found) = &mut load.capacity {
            (found.limit, found.highest, found.lowest_broken) = (name, Some(numbers[3]), None);
        }
        load
    })
}

/// A proof all of whose numbers are odd.
fn odd_proof() -> impl Strategy<Value = Prove> {
    let comparisons = proptest::collection::vec((odd(), odd(), odd(), odd_span(), odd_span(), 0_u8..24), 4..20);
    (0_u8..3, comparisons, proptest::collection::vec(odd_ns(), 12), odd_name()).prop_map(|(which, odds, ns, name)| {
        let mut proof = [sample::class_map, sample::five_patches, sample::two_knobs][usize::from(which)]();
        for (comparison, (baseline, candidate, floor, ratio, difference, choice)) in
            proof.comparisons.iter_mut().zip(odds)
        {
            (comparison.baseline, comparison.candidate, comparison.floor) = (baseline, candidate, floor);
            (comparison.ratio, comparison.difference) = ((choice % 2 == 0).then_some(ratio), difference);
            comparison.verdict =
                [Change::Better, Change::Worse, Change::Equal, Change::Unclear][usize::from(choice / 4 % 4)];
            comparison.absolute = (choice % 3 == 0).then_some(ratio);
            comparison.kind =
                [Metric::Latency, Metric::Within, Metric::Throughput, Metric::Weight, Metric::Bytes, Metric::Status]
                    [usize::from(choice % 6)];
            comparison.adjusted_p = floor;
            if choice > 20 {
                comparison.metric = name.clone();
            }
        }
        for (arm, ns) in proof.arms.iter_mut().zip(ns.windows(5)) {
            if let Some(plot) = &mut arm.box_plot {
                (plot.p5, plot.p25, plot.p50, plot.p75, plot.p95) = (ns[0], ns[1], ns[2], ns[3], ns[4]);
            }
            arm.distribution = vec![(ns[0], ns[1] as f64), (ns[2], f64::NAN), (ns[3], 0.5)];
        }
        for interaction in &mut proof.interactions {
            interaction.ratio.value = f64::NAN;
        }
        (proof.title, proof.setup.target) = (name.clone(), name);
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
            format.load(&load, &About::default(), Style::plain(width), &mut out).unwrap();
            check(format.name(), &out)?;
        }
    }

    #[test]
    fn every_format_writes_any_proof(proof in odd_proof(), width in 0_u16..220) {
        for format in FORMATS {
            let mut out = Vec::new();
            format.prove(&proof, &About::default(), Style::plain(width), &mut out).unwrap();
            check(format.name(), &out)?;
        }
    }
}

//! `unladen.prove/1`: [`document`].

use unladen_document as document;
use unladen_document::{About, Arm, OpenSpan, Ordered, ProveDocument};
use unladen_quantity::Span;

use super::figure::{nanos, span};
use crate::prove::{ArmResult, Change, Comparison, Interaction, Metric, Prove};

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.prove/1";

pub(super) fn document(result: &Prove, about: &About) -> ProveDocument {
    let setup = &result.setup;
    ProveDocument {
        schema: SCHEMA.to_owned(),
        about: super::about::about(about, Some(setup.seed), result.machine.as_ref()),
        title: result.title.clone(),
        design: result.design.to_owned(),
        target: setup.target.clone(),
        ended: result.ended.as_str().to_owned(),
        rate: setup.rate,
        concurrency: setup.concurrency as u64,
        keep_cookies: setup.keep_cookies,
        elapsed_ns: nanos(setup.elapsed),
        phase_ns: nanos(setup.phase),
        blocks: setup.blocks as u64,
        restarts: setup.restarts as u64,
        resampled: setup.unit.to_owned(),
        send_lag_p99_ns: setup.send_lag_p99,
        agents: setup.agents.clone(),
        arms: result.arms.iter().map(arm).collect(),
        comparisons: result.comparisons.iter().map(comparison).collect(),
        interactions: result.interactions.iter().map(interaction).collect(),
        time_for_one_percent_ns: result.time_for_one_percent.map(nanos),
        gates: result.gates.clone(),
        profiles: result.profiles.clone(),
        put_back: result.put_back.clone(),
        warnings: result.warnings.iter().map(ToString::to_string).collect(),
    }
}

fn arm(arm: &ArmResult) -> Arm {
    Arm {
        name: arm.name.clone(),
        roles: arm.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        on: arm.on.clone(),
        requests: arm.requests,
        errors: arm.errors,
        changed: arm.changed,
        statuses: Ordered(arm.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect()),
        answers: arm.answers.clone(),
        box_plot_ns: arm.box_plot,
        cold_box_plot_ns: arm.cold,
        distribution: arm.distribution.clone(),
    }
}

fn comparison(comparison: &Comparison) -> document::Comparison {
    let weight = comparison.weight.as_ref();
    // Durations are whole nanoseconds.
    let number = |value: f64| if comparison.kind == Metric::Latency { value.round() } else { value };
    let Span { value, low, high } = comparison.difference;
    document::Comparison {
        arm: comparison.arm.clone(),
        metric: comparison.metric.clone(),
        group: weight.map(|weight| weight.group.clone()),
        counter: weight.map(|weight| weight.counter.to_owned()),
        title: weight.map_or_else(String::new, |weight| weight.title.to_owned()),
        unit: match comparison.kind {
            Metric::Latency => "ns",
            Metric::Within | Metric::Status | Metric::ErrorStatus => "1",
            Metric::Bytes => "B",
            Metric::Throughput => "1/s",
            Metric::Weight => weight.map_or("1", |weight| weight.unit),
        }
        .to_owned(),
        approximate: weight.map(|weight| weight.approximate),
        baseline: Some(number(comparison.baseline)),
        candidate: Some(number(comparison.candidate)),
        candidate_low: comparison.absolute.map(|span| number(span.low)),
        candidate_high: comparison.absolute.map(|span| number(span.high)),
        ratio: comparison.ratio.map(|ratio| ratio.value),
        low: comparison.ratio.map(|ratio| ratio.low),
        high: comparison.ratio.map(|ratio| ratio.high),
        difference: OpenSpan { value: number(value), low: Some(number(low)), high: Some(number(high)) },
        floor: Some(comparison.floor),
        margin: comparison.margin,
        time_to_settle_ns: comparison.settled_after.map(nanos),
        on_path: comparison.on_path,
        adjusted_p: comparison.adjusted_p,
        verdict: comparison.verdict.as_str(comparison.kind).to_owned(),
    }
}

fn interaction(interaction: &Interaction) -> document::Interaction {
    document::Interaction {
        metric: interaction.metric.clone(),
        kind: interaction.kind.as_str().to_owned(),
        knobs: interaction.knobs.clone(),
        ratio: interaction.ratio.value,
        low: interaction.ratio.low,
        high: interaction.ratio.high,
        expected: interaction.expected.map(span),
        told: interaction.told,
        verdict: match (interaction.told, interaction.is_equal) {
            (true, _) => "told",
            (false, true) => Change::Equal.as_str(Metric::Latency),
            (false, false) => Change::Unclear.as_str(Metric::Latency),
        }
        .to_owned(),
    }
}

//! [`prove`]: the result of `unladen prove`.

use std::time::Duration;

use unladen_document as kept;
use unladen_document::ProveDocument;
use unladen_lockin::Role;
use unladen_quantity::{Kind, Span};

use super::figure::{count, ended, open, span, statuses, warnings};
use super::name::known_name as name;
use super::titles::Titles;
use crate::prove::{
    ArmResult, Change, Comparison, Interaction, InteractionKind, Metric, Prove, ProveSetup, WeightMetric,
};

pub(super) fn prove(document: &ProveDocument, titles: Titles) -> Prove {
    let knobs = knobs(document);
    Prove {
        title: document.title.clone(),
        design: name(&document.design),
        setup: ProveSetup {
            target: document.target.clone(),
            rate: document.rate,
            concurrency: count(document.concurrency),
            keep_cookies: document.keep_cookies,
            seed: document.about.seed.unwrap_or_default(),
            elapsed: Duration::from_nanos(document.elapsed_ns),
            phase: Duration::from_nanos(document.phase_ns),
            blocks: count(document.blocks),
            restarts: count(document.restarts),
            unit: name(&document.resampled),
            send_lag_p99: document.send_lag_p99_ns,
            agents: document.agents.clone(),
        },
        ended: ended(&document.ended),
        arms: document.arms.iter().map(|of| arm(of, &knobs)).collect(),
        comparisons: document.comparisons.iter().map(|one| comparison(one, titles)).collect(),
        interactions: document.interactions.iter().map(interaction).collect(),
        time_for_one_percent: document.time_for_one_percent_ns.map(Duration::from_nanos),
        profiles: document.profiles.clone(),
        put_back: document.put_back.clone(),
        gates: document.gates.clone(),
        machine: document.about.machine.clone(),
        warnings: warnings(&document.warnings),
    }
}

/// The knobs in the order of the arm that has all of them on.
fn knobs(document: &ProveDocument) -> Vec<&str> {
    let longest = document.arms.iter().max_by_key(|arm| arm.on.len());
    let mut knobs: Vec<&str> = longest.iter().flat_map(|arm| &arm.on).map(String::as_str).collect();
    for knob in document.arms.iter().flat_map(|arm| &arm.on) {
        if !knobs.contains(&knob.as_str()) {
            knobs.push(knob);
        }
    }
    knobs
}

fn arm(arm: &kept::Arm, knobs: &[&str]) -> ArmResult {
    ArmResult {
        name: arm.name.clone(),
        on: arm.on.clone(),
        roles: arm.roles.iter().filter_map(|text| role(text, &arm.on, knobs)).collect(),
        requests: arm.requests,
        errors: arm.errors,
        changed: arm.changed,
        statuses: statuses(&arm.statuses),
        answers: arm.answers.clone(),
        box_plot: arm.box_plot_ns,
        distribution: arm.distribution.clone(),
        cold: arm.cold_box_plot_ns,
    }
}

/// Needs `on`, since the role names its knob by what is on.
fn role(text: &str, on: &[String], knobs: &[&str]) -> Option<Role> {
    let place = |knob: &str| knobs.iter().position(|known| *known == knob);
    Some(match text {
        "baseline" => Role::Baseline,
        "baseline again" => Role::BaselineAgain,
        "candidate" => Role::Candidate,
        "alone" => Role::Alone(place(on.first()?)?),
        "all" => Role::All,
        "all but one" => Role::Without(knobs.iter().position(|knob| !on.iter().any(|name| name == knob))?),
        "cumulative" => Role::UpTo(on.len().checked_sub(1)?),
        "combination" => {
            let bit = |knob: &String| place(knob).and_then(|place| 1_u32.checked_shl(u32::try_from(place).ok()?));
            Role::Combination(on.iter().filter_map(bit).fold(0, |bits, bit| bits | bit))
        }
        _ => return None,
    })
}

fn comparison(kept: &kept::Comparison, titles: Titles) -> Comparison {
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let ends = kept.candidate_low.zip(kept.candidate_high);
    let ratio = kept.ratio.zip(kept.low).zip(kept.high);
    let weight = kept.group.as_ref().zip(kept.counter.as_ref()).map(|(group, counter)| WeightMetric {
        group: group.clone(),
        counter: name(counter),
        title: super::titles::title(&kept.title, counter, titles),
        unit: name(&kept.unit),
        kind: Kind::of_unit(&kept.unit),
        approximate: kept.approximate.unwrap_or_default(),
    });
    Comparison {
        arm: kept.arm.clone(),
        metric: kept.metric.clone(),
        kind: kept.kind(),
        weight,
        baseline: number(kept.baseline),
        candidate: number(kept.candidate),
        absolute: ends.map(|(low, high)| Span { value: number(kept.candidate), low, high }),
        ratio: ratio.map(|((value, low), high)| Span { value, low, high }),
        difference: open(kept.difference),
        floor: number(kept.floor),
        margin: kept.margin(),
        settled_after: kept.time_to_settle_ns.map(Duration::from_nanos),
        on_path: kept.on_path,
        adjusted_p: kept.adjusted_p,
        verdict: kept.change(),
    }
}

fn interaction(kept: &kept::Interaction) -> Interaction {
    let all = [InteractionKind::AllAgainstAlone, InteractionKind::MainEffect, InteractionKind::Pair];
    Interaction {
        metric: kept.metric.clone(),
        knobs: kept.knobs.clone(),
        kind: all.into_iter().find(|kind| kind.as_str() == kept.kind).unwrap_or(InteractionKind::Pair),
        ratio: Span { value: kept.ratio, low: kept.low, high: kept.high },
        expected: kept.expected.map(span),
        told: kept.told,
        is_equal: kept.verdict == Change::Equal.as_str(Metric::Latency),
    }
}

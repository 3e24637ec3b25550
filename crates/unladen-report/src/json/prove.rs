//! `unladen.prove/1`.

use serde::Serialize;
use unladen_document::{About, Answer, Machine};

use unladen_quantity::Span;

use super::agent::AgentJson;
use super::figure::{Number, Ordered, SpanJson, nanos};
use super::gate::{GateJson, of_arm};
use crate::prove::{ArmProfile, ArmResult, BoxPlot, Change, Comparison, Interaction, Metric, Prove};

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.prove/1";

#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    title: &'a str,
    design: &'static str,
    target: &'a str,
    ended: &'static str,
    rate: Option<f64>,
    concurrency: usize,
    keep_cookies: bool,
    seed: u64,
    elapsed_ns: u64,
    phase_ns: u64,
    blocks: usize,
    restarts: usize,
    resampled: &'static str,
    send_lag_p99_ns: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agents: Vec<AgentJson<'a>>,
    arms: Vec<ArmJson<'a>>,
    comparisons: Vec<ComparisonJson<'a>>,
    interactions: Vec<InteractionJson<'a>>,
    time_for_one_percent_ns: Option<u64>,
    gates: Vec<GateJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<ProfileJson<'a>>,
    put_back: &'a [String],
    /// Written with the document's description of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct ArmJson<'a> {
    name: &'a str,
    roles: Vec<&'static str>,
    on: &'a [String],
    requests: u64,
    errors: u64,
    changed: u64,
    statuses: Ordered<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    answers: &'a [Answer],
    box_plot_ns: Option<BoxJson>,
    cold_box_plot_ns: Option<BoxJson>,
    distribution: &'a [(u64, f64)],
}

#[derive(Serialize)]
struct ProfileJson<'a> {
    arm: &'a str,
    requests: u64,
    file: &'a str,
    picture: &'a str,
    functions_changed: Option<usize>,
}

#[derive(Serialize)]
struct BoxJson {
    p5: u64,
    p25: u64,
    p50: u64,
    p75: u64,
    p95: u64,
    requests: u64,
}

#[derive(Serialize)]
struct ComparisonJson<'a> {
    arm: &'a str,
    metric: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<&'static str>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximate: Option<bool>,
    baseline: Number,
    candidate: Number,
    candidate_low: Option<Number>,
    candidate_high: Option<Number>,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    difference: DifferenceJson,
    floor: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_settle_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_path: Option<bool>,
    adjusted_p: f64,
    verdict: &'static str,
}

#[derive(Serialize)]
struct DifferenceJson {
    value: Number,
    low: Number,
    high: Number,
}

#[derive(Serialize)]
struct InteractionJson<'a> {
    metric: &'a str,
    kind: &'static str,
    knobs: &'a [String],
    ratio: f64,
    low: f64,
    high: f64,
    expected: Option<SpanJson>,
    told: bool,
    verdict: &'static str,
}

impl<'a> ProfileJson<'a> {
    fn of(profile: &'a ArmProfile) -> Self {
        Self {
            arm: &profile.arm,
            requests: profile.requests,
            file: &profile.file,
            picture: &profile.picture,
            functions_changed: profile.changed,
        }
    }
}

impl<'a> Document<'a> {
    pub(super) fn of(result: &'a Prove, about: &'a About) -> Self {
        let setup = &result.setup;
        Self {
            schema: SCHEMA,
            about,
            title: &result.title,
            design: result.design,
            target: &setup.target,
            ended: result.ended.as_str(),
            rate: setup.rate,
            concurrency: setup.concurrency,
            keep_cookies: setup.keep_cookies,
            seed: setup.seed,
            elapsed_ns: nanos(setup.elapsed),
            phase_ns: nanos(setup.phase),
            blocks: setup.blocks,
            restarts: setup.restarts,
            resampled: setup.unit,
            send_lag_p99_ns: setup.send_lag_p99,
            agents: setup.agents.iter().map(AgentJson::of).collect(),
            arms: result.arms.iter().map(arm).collect(),
            comparisons: result.comparisons.iter().map(comparison).collect(),
            interactions: result.interactions.iter().map(interaction).collect(),
            time_for_one_percent_ns: result.time_for_one_percent.map(nanos),
            gates: result.gates.iter().map(of_arm).collect(),
            profiles: result.profiles.iter().map(ProfileJson::of).collect(),
            put_back: &result.put_back,
            machine: result.machine.as_ref(),
            warnings: result.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

fn arm(arm: &ArmResult) -> ArmJson<'_> {
    ArmJson {
        name: &arm.name,
        roles: arm.roles.iter().map(|role| role.as_str()).collect(),
        on: &arm.on,
        requests: arm.requests,
        errors: arm.errors,
        changed: arm.changed,
        statuses: Ordered(arm.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect()),
        answers: &arm.answers,
        box_plot_ns: arm.box_plot.map(box_plot),
        cold_box_plot_ns: arm.cold.map(box_plot),
        distribution: &arm.distribution,
    }
}

fn box_plot(plot: BoxPlot) -> BoxJson {
    let BoxPlot { p5, p25, p50, p75, p95, count } = plot;
    BoxJson { p5, p25, p50, p75, p95, requests: count }
}

fn comparison(comparison: &Comparison) -> ComparisonJson<'_> {
    let weight = comparison.weight.as_ref();
    let number = |value| match comparison.kind {
        Metric::Latency => Number::whole(value),
        _ => Number::Real(value),
    };
    let Span { value, low, high } = comparison.difference;
    ComparisonJson {
        arm: &comparison.arm,
        metric: &comparison.metric,
        group: weight.map(|weight| weight.group.as_str()),
        counter: weight.map(|weight| weight.counter),
        unit: match comparison.kind {
            Metric::Latency => "ns",
            Metric::Within | Metric::Status | Metric::ErrorStatus => "1",
            Metric::Bytes => "B",
            Metric::Throughput => "1/s",
            Metric::Weight => weight.map_or("1", |weight| weight.unit),
        },
        approximate: weight.map(|weight| weight.approximate),
        baseline: number(comparison.baseline),
        candidate: number(comparison.candidate),
        candidate_low: comparison.absolute.map(|span| number(span.low)),
        candidate_high: comparison.absolute.map(|span| number(span.high)),
        ratio: comparison.ratio.map(|ratio| ratio.value),
        low: comparison.ratio.map(|ratio| ratio.low),
        high: comparison.ratio.map(|ratio| ratio.high),
        difference: DifferenceJson { value: number(value), low: number(low), high: number(high) },
        floor: comparison.floor,
        margin: comparison.margin,
        time_to_settle_ns: comparison.settled_after.map(nanos),
        on_path: comparison.on_path,
        adjusted_p: comparison.adjusted_p,
        verdict: comparison.verdict.as_str(comparison.kind),
    }
}

fn interaction(interaction: &Interaction) -> InteractionJson<'_> {
    InteractionJson {
        metric: &interaction.metric,
        kind: interaction.kind.as_str(),
        knobs: &interaction.knobs,
        ratio: interaction.ratio.value,
        low: interaction.ratio.low,
        high: interaction.ratio.high,
        expected: interaction.expected.map(Into::into),
        told: interaction.told,
        verdict: match (interaction.told, interaction.is_equal) {
            (true, _) => "told",
            (false, true) => Change::Equal.as_str(Metric::Latency),
            (false, false) => Change::Unclear.as_str(Metric::Latency),
        },
    }
}

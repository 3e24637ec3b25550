//! Proofs in the shape of public accounts: a class map for a wiki, and five patches on a slow page.

use std::time::Duration;

use unladen_document::{BoxPlot, Gate};

use super::load::distribution;
use unladen_lockin::{MARGIN, MARGIN_OF_SHARES, Role};
use unladen_quantity::{Kind, Span};

use crate::ended::Ended;
use crate::prove::*;
use crate::warning::Warning;

const MS: f64 = 1e6;

fn span(value: f64, margin: f64) -> Span {
    Span { value, low: value - margin, high: value + margin }
}

fn boxes(median_ms: f64) -> BoxPlot {
    let at = |factor: f64| (median_ms * factor * MS) as u64;
    BoxPlot { p5: at(0.91), p25: at(0.965), p50: at(1.0), p75: at(1.06), p95: at(1.19), requests: 4_800 }
}

pub(crate) fn arm(name: &str, on: &[&str], roles: &[Role], median_ms: f64) -> ArmResult {
    ArmResult {
        name: name.into(),
        on: on.iter().map(|knob| (*knob).to_owned()).collect(),
        roles: roles.to_vec(),
        requests: 4_800,
        errors: 0,
        changed: 0,
        statuses: vec![(200, 4_800)],
        answers: vec![super::weigh::answer("/index.php/Main_Page")],
        box_plot: Some(boxes(median_ms)),
        distribution: distribution(median_ms),
        cold: None,
    }
}

/// A comparison of a metric whose less is better, if it is a latency or a weight.
fn compare(arm: &str, metric: &str, kind: Metric, baseline: f64, candidate: f64, margin: f64) -> Comparison {
    let ratio = candidate / baseline;
    let is_told = (ratio - 1.0).abs() > margin;
    let is_equal = (ratio - 1.0).abs() + margin <= MARGIN;
    let is_better = (ratio < 1.0) == matches!(kind, Metric::Latency | Metric::Weight | Metric::Bytes);
    Comparison {
        arm: arm.into(),
        metric: metric.into(),
        kind,
        weight: None,
        baseline,
        candidate,
        absolute: Some(span(candidate, margin * candidate)),
        ratio: Some(span(ratio, margin)),
        difference: span(candidate - baseline, margin * baseline),
        floor: margin * 0.65,
        margin: Some(if kind.is_share() { MARGIN_OF_SHARES } else { MARGIN }),
        settled_after: (!is_told && !is_equal).then_some(Duration::from_secs(1_200)),
        on_path: None,
        adjusted_p: if is_told { 0.0002 } else { 0.43 },
        verdict: match (is_told, is_better) {
            (false, _) if is_equal => Change::Equal,
            (false, _) => Change::Unclear,
            (true, true) => Change::Better,
            (true, false) => Change::Worse,
        },
    }
}

fn latency(arm: &str, metric: &str, baseline_ms: f64, candidate_ms: f64, margin: f64) -> Comparison {
    compare(arm, metric, Metric::Latency, baseline_ms * MS, candidate_ms * MS, margin)
}

fn weight(
    arm: &str,
    group: &str,
    counter: &'static str,
    title: &'static str,
    values: (f64, f64),
    margin: f64,
) -> Comparison {
    let kind = match counter {
        "cpu" => Kind::Time,
        counter if counter.contains("bytes") => Kind::Bytes,
        _ => Kind::Count,
    };
    let unit = match kind {
        Kind::Time => "ns",
        Kind::Bytes => "B",
        Kind::Count => "1",
    };
    let weight = WeightMetric { group: group.into(), counter, title, unit, kind, approximate: false };
    let metric = format!("weight.{counter} {group}");
    Comparison { weight: Some(weight), ..compare(arm, &metric, Metric::Weight, values.0, values.1, margin) }
}

fn weights(arm: &str) -> Vec<Comparison> {
    let (php, sql) = ("www-data php-fpm8.2", "mysql mariadbd");
    let mut from_nothing = weight(arm, "redis redis-server", "cpu", "CPU", (1.0, 210_000.0), 0.1);
    (from_nothing.ratio, from_nothing.baseline) = (None, 0.0);
    (from_nothing.difference, from_nothing.floor) = (span(210_000.0, 14_000.0), 9_000.0);
    // Gone, by all that its seven blocks say, and twelve groups were looked at.
    let mut gone = weight(arm, "www-data memcached", "cpu", "CPU", (30_100_000.0, 0.0), 0.1);
    (gone.ratio, gone.difference, gone.floor) = (None, span(-30_100_000.0, 4_000_000.0), 3_000_000.0);
    (gone.margin, gone.adjusted_p) = (Some(4_000_000.0), 0.18);
    gone.verdict = Change::Unclear;
    vec![
        gone,
        weight(arm, php, "read_calls", "read calls", (289.0, 41.0), 0.004),
        weight(arm, php, "cpu", "CPU", (22_160_000.0, 18_900_000.0), 0.011),
        weight(arm, php, "minor_faults", "page faults, minor", (12.4, 12.1), 0.08),
        weight(arm, sql, "cpu", "CPU", (3_100_000.0, 2_870_000.0), 0.02),
        weight(arm, sql, "write_bytes", "bytes written", (16_100.0, 16_080.0), 0.02),
        from_nothing,
        weight(arm, "machine", "loopback_bytes", "bytes over the loopback", (26_300.0, 31_900.0), 0.01),
    ]
}

fn setup() -> ProveSetup {
    ProveSetup {
        target: "http://127.0.0.1:8080/index.php/Main_Page".into(),
        rate: Some(40.0),
        concurrency: 64,
        keep_cookies: true,
        seed: 7,
        elapsed: Duration::from_secs(360),
        phase: Duration::from_secs(5),
        blocks: 24,
        restarts: 6,
        unit: "restarts",
        send_lag_p99: Some(61_000),
        agents: Vec::new(),
    }
}

/// The same, sent by two hosts, of which one was late.
pub(crate) fn class_map_from_hosts() -> Prove {
    let mut prove = class_map();
    let mut agents = super::load::from_hosts().agents;
    agents.truncate(2);
    prove.setup.agents = agents;
    prove
}

/// 4,800 requests an arm at 40/s.
pub(crate) fn class_map() -> Prove {
    let candidate = "candidate";
    let mut comparisons = vec![
        latency(candidate, "latency.p50", 26.2, 22.7, 0.012),
        latency(candidate, "latency.p90", 29.2, 25.7, 0.013),
        latency(candidate, "latency.p95", 31.1, 27.3, 0.018),
        latency(candidate, "latency.p99", 40.6, 39.9, 0.045),
        latency(candidate, "latency.mean", 27.2, 23.6, 0.011),
        compare(candidate, "within.25ms", Metric::Within, 0.186, 0.861, 0.04),
        compare(candidate, "within.50ms", Metric::Within, 0.9948, 0.9951, 0.002),
        compare(candidate, "throughput", Metric::Throughput, 39.99, 39.98, 0.001),
        // Exact: each answer is as long as every other.
        compare(candidate, "bytes.body", Metric::Bytes, 61_440.0, 61_440.0, 0.0),
    ];
    comparisons.extend(weights(candidate));
    comparisons.push(latency("baseline again", "latency.p50", 26.2, 26.25, 0.012));
    Prove {
        title: "An optimised class map for the wiki".into(),
        design: "ab",
        setup: setup(),
        ended: Ended::Complete,
        arms: vec![
            arm("baseline", &[], &[Role::Baseline], 26.2),
            arm(candidate, &["class map"], &[Role::Candidate], 22.7),
            arm("baseline again", &[], &[Role::BaselineAgain], 26.25),
        ],
        comparisons,
        interactions: Vec::new(),
        time_for_one_percent: Some(Duration::from_secs(1_500)),
        profiles: Vec::new(),
        put_back: vec!["put back: /srv/wiki/vendor/composer/autoload_static.php, php-fpm reloaded".into()],
        gates: vec![
            Gate {
                condition: "p95 > +5%".into(),
                arm: candidate.into(),
                url: String::new(),
                broken: false,
                untold: false,
                found: "p95 −12.2 % (−14.0 to −10.4)".into(),
            },
            Gate {
                condition: "loopback_bytes > +10%".into(),
                arm: candidate.into(),
                url: String::new(),
                broken: true,
                untold: false,
                found: "machine +21.3 % (+20.3 to +22.3)".into(),
            },
        ],
        machine: None,
        warnings: vec![Warning::ChangedInArm { arm: candidate.into(), changed: 4_799, requests: 4_800 }],
    }
}

/// 16 s to 5.8 s cold.
pub(crate) fn five_patches() -> Prove {
    let knobs = ["class map", "lazy services", "message cache", "one query", "no debug log"];
    let alone = [0.38, 0.66, 0.91, 0.82, 0.75];
    let so_far = [0.38, 0.372, 0.371, 0.366, 0.3625];
    let without = [0.71, 0.39, 0.3628, 0.374, 0.381];
    let mut arms = vec![ArmResult { cold: Some(boxes(16_000.0)), ..arm("baseline", &[], &[Role::Baseline], 26.2) }];
    let mut comparisons = Vec::new();
    let mut measured = |name: &str, on: &[&str], roles: &[Role], ratio: f64| {
        let warm = 1.0 - (1.0 - ratio) * 0.21;
        let mut arm = arm(name, on, roles, 26.2 * warm);
        arm.cold = Some(boxes(16_000.0 * ratio));
        arms.push(arm);
        comparisons.extend([
            latency(name, "latency.p50", 26.2, 26.2 * warm, 0.024),
            latency(name, "latency.mean", 27.2, 27.2 * warm, 0.022),
            latency(name, "cold.latency.p50", 16_000.0, 16_000.0 * ratio, 0.011),
            latency(name, "cold.latency.mean", 16_300.0, 16_300.0 * ratio, 0.012),
        ]);
    };
    for (i, knob) in knobs.iter().enumerate() {
        let roles = if i == 0 { vec![Role::Alone(0), Role::UpTo(0)] } else { vec![Role::Alone(i)] };
        measured(knob, &[knob], &roles, alone[i]);
    }
    for i in 1..4 {
        measured(&format!("up to {}", knobs[i]), &knobs[..=i], &[Role::UpTo(i)], so_far[i]);
    }
    for (i, knob) in knobs.iter().enumerate() {
        let on: Vec<&str> = knobs.iter().copied().filter(|other| other != knob).collect();
        measured(&format!("all but {knob}"), &on, &[Role::Without(i)], without[i]);
    }
    measured("all", &knobs, &[Role::All, Role::UpTo(4)], 0.3625);
    comparisons.extend(weights("all"));
    arms.push(ArmResult { cold: Some(boxes(16_040.0)), ..arm("baseline again", &[], &[Role::BaselineAgain], 26.22) });
    Prove {
        title: "Five patches".into(),
        design: "ablate",
        arms,
        comparisons,
        interactions: vec![Interaction {
            metric: "cold.latency.p50".into(),
            knobs: knobs.map(str::to_owned).to_vec(),
            kind: InteractionKind::AllAgainstAlone,
            ratio: span(0.3625, 0.011),
            expected: Some(span(0.1404, 0.009)),
            told: true,
            is_equal: false,
        }],
        time_for_one_percent: None,
        gates: Vec::new(),
        warnings: Vec::new(),
        ..class_map()
    }
}

/// Two knobs, every combination.
pub(crate) fn two_knobs() -> Prove {
    let arm_of = |name: &str, on: &[&str], roles: &[Role], median| arm(name, on, roles, median);
    let interaction = |knobs: &[&str], kind, ratio, told| Interaction {
        metric: "latency.p50".into(),
        knobs: knobs.iter().map(|knob| (*knob).to_owned()).collect(),
        kind,
        ratio: span(ratio, 0.012),
        expected: None,
        told,
        is_equal: !told,
    };
    Prove {
        title: "Class map and sidecar".into(),
        design: "factorial",
        arms: vec![
            arm_of("baseline", &[], &[Role::Baseline, Role::Combination(0)], 26.2),
            arm_of("class map", &["class map"], &[Role::Combination(1)], 22.7),
            arm_of("sidecar", &["sidecar"], &[Role::Combination(2)], 27.9),
            arm_of("class map + sidecar", &["class map", "sidecar"], &[Role::Combination(3), Role::All], 24.1),
            arm_of("baseline again", &[], &[Role::BaselineAgain], 26.25),
        ],
        comparisons: vec![
            latency("class map", "latency.p50", 26.2, 22.7, 0.012),
            latency("sidecar", "latency.p50", 26.2, 27.9, 0.012),
            latency("class map + sidecar", "latency.p50", 26.2, 24.1, 0.012),
            latency("class map + sidecar", "latency.p95", 31.1, 28.7, 0.018),
            latency("baseline again", "latency.p50", 26.2, 26.25, 0.012),
        ],
        interactions: vec![
            interaction(&["class map"], InteractionKind::MainEffect, 0.865, true),
            interaction(&["sidecar"], InteractionKind::MainEffect, 1.063, true),
            interaction(&["class map", "sidecar"], InteractionKind::Pair, 0.997, false),
        ],
        time_for_one_percent: None,
        gates: Vec::new(),
        profiles: Vec::new(),
        put_back: Vec::new(),
        warnings: vec![Warning::SameArmDiffers { ratio: 1.021 }],
        ..class_map()
    }
}

/// Two places of a page, of which only one can be asked.
pub(crate) fn each_alone() -> Prove {
    let arms = [("by max-age", 0, 0.144, 39_900.0), ("by validator", 1, 0.278, 16_100.0)];
    let mut comparisons = Vec::new();
    for (name, _, median, rate) in arms {
        comparisons.extend([
            latency(name, "latency.p50", 67.1, median, 0.0003),
            latency(name, "latency.mean", 68.0, median * 4.0, 0.002),
            compare(name, "throughput", Metric::Throughput, 196.6, rate, 16.0),
        ]);
    }
    let measured = arms.map(|(name, knob, median, _)| arm(name, &[name], &[Role::Alone(knob)], median));
    Prove {
        title: "A page, straight and from memory".into(),
        design: "each",
        arms: [vec![arm("baseline", &[], &[Role::Baseline], 67.1)], measured.to_vec()].concat(),
        comparisons,
        time_for_one_percent: None,
        gates: Vec::new(),
        profiles: Vec::new(),
        put_back: Vec::new(),
        warnings: Vec::new(),
        ..class_map()
    }
}

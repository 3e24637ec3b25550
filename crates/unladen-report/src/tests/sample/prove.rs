//! Proofs in the shape of public accounts: a class map for a wiki, and five patches on a slow page.

use unladen_document::{
    About, Arm, BoxPlot, Change, Comparison, CountedChange, Gate, Interaction, Metric, OpenSpan, ProveDocument, Span,
};
use unladen_lockin::{MARGIN, MARGIN_OF_SHARES};

use super::load::{distribution, ordered};
use crate::warning::Warning;

const MS: f64 = 1e6;

fn open(value: f64, margin: f64) -> OpenSpan {
    OpenSpan { value, low: Some(value - margin), high: Some(value + margin) }
}

fn boxes(median_ms: f64) -> BoxPlot {
    let at = |factor: f64| (median_ms * factor * MS) as u64;
    BoxPlot { p5: at(0.91), p25: at(0.965), p50: at(1.0), p75: at(1.06), p95: at(1.19), requests: 4_800 }
}

pub(crate) fn arm(name: &str, on: &[&str], roles: &[&str], median_ms: f64) -> Arm {
    Arm {
        name: name.into(),
        on: on.iter().map(|knob| (*knob).to_owned()).collect(),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
        requests: 4_800,
        errors: 0,
        changed: 0,
        statuses: ordered(&[("200", 4_800)]),
        answers: vec![super::weigh::answer("/index.php/Main_Page")],
        box_plot_ns: Some(boxes(median_ms)),
        distribution: distribution(median_ms),
        cold_box_plot_ns: None,
    }
}

/// A comparison of a metric whose less is better, if it is a latency or a weight.
fn compare(arm: &str, metric: &str, baseline: f64, candidate: f64, margin: f64) -> Comparison {
    let kind = Metric::of(metric);
    let ratio = candidate / baseline;
    let is_told = (ratio - 1.0).abs() > margin;
    let is_equal = (ratio - 1.0).abs() + margin <= MARGIN;
    let is_better = (ratio < 1.0) == matches!(kind, Metric::Latency | Metric::Weight | Metric::Bytes);
    // Durations are whole nanoseconds.
    let number = |value: f64| if kind == Metric::Latency { value.round() } else { value };
    let own = margin * candidate;
    let OpenSpan { value, low, high } = open(candidate - baseline, margin * baseline);
    let verdict = match (is_told, is_better) {
        (false, _) if is_equal => Change::Equal,
        (false, _) => Change::Unclear,
        (true, true) => Change::Better,
        (true, false) => Change::Worse,
    };
    Comparison {
        arm: arm.into(),
        metric: metric.into(),
        unit: kind.unit().into(),
        baseline: Some(number(baseline)),
        candidate: Some(number(candidate)),
        candidate_low: Some(number(candidate - own)),
        candidate_high: Some(number(candidate + own)),
        ratio: Some(ratio),
        low: Some(ratio - margin),
        high: Some(ratio + margin),
        difference: OpenSpan { value: number(value), low: low.map(number), high: high.map(number) },
        floor: Some(margin * 0.65),
        margin: Some(if kind.is_share() { MARGIN_OF_SHARES } else { MARGIN }),
        time_to_settle_ns: (!is_told && !is_equal).then_some(1_200_000_000_000),
        adjusted_p: if is_told { 0.0002 } else { 0.43 },
        verdict: verdict.as_str(kind).into(),
        ..Comparison::default()
    }
}

fn latency(arm: &str, metric: &str, baseline_ms: f64, candidate_ms: f64, margin: f64) -> Comparison {
    compare(arm, metric, baseline_ms * MS, candidate_ms * MS, margin)
}

fn weight(arm: &str, group: &str, counter: &str, title: &str, values: (f64, f64), margin: f64) -> Comparison {
    let unit = match counter {
        "cpu" => "ns",
        counter if counter.contains("bytes") => "B",
        _ => "1",
    };
    Comparison {
        group: Some(group.into()),
        counter: Some(counter.into()),
        title: title.into(),
        unit: unit.into(),
        approximate: Some(false),
        ..compare(arm, &format!("weight.{counter} {group}"), values.0, values.1, margin)
    }
}

fn weights(arm: &str) -> Vec<Comparison> {
    let (php, sql) = ("www-data php-fpm8.2", "mysql mariadbd");
    let mut from_nothing = weight(arm, "redis redis-server", "cpu", "CPU", (1.0, 210_000.0), 0.1);
    (from_nothing.ratio, from_nothing.low, from_nothing.high, from_nothing.baseline) = (None, None, None, Some(0.0));
    (from_nothing.difference, from_nothing.floor) = (open(210_000.0, 14_000.0), Some(9_000.0));
    // Gone, by all that its seven blocks say, and twelve groups were looked at.
    let mut gone = weight(arm, "www-data memcached", "cpu", "CPU", (30_100_000.0, 0.0), 0.1);
    (gone.ratio, gone.low, gone.high) = (None, None, None);
    (gone.difference, gone.floor) = (open(-30_100_000.0, 4_000_000.0), Some(3_000_000.0));
    (gone.margin, gone.adjusted_p) = (Some(4_000_000.0), 0.18);
    gone.verdict = Change::Unclear.as_str(Metric::Weight).into();
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

/// The same, sent by two hosts, of which one was late.
pub(crate) fn class_map_from_hosts() -> ProveDocument {
    let mut prove = class_map();
    let mut agents = super::load::from_hosts().agents;
    agents.truncate(2);
    (prove.agents, prove.counted) = (agents, Vec::new());
    prove
}

/// What a class map spares.
fn counted(arm: &str) -> Vec<CountedChange> {
    let rows = [
        ("syscalls", "system calls", 1_507.0, 823.0),
        ("files.checked", "file checks", 879.0, 197.0),
        ("files.missing", "files not found", 82.2, 7.0),
        ("connections.opened", "connections opened", 1.0, 1.0),
    ];
    let span = |value: f64| Span { value, low: value - 0.2, high: value + 0.2 };
    let row = |(counter, title, before, after): (&str, &str, f64, f64)| CountedChange {
        arm: arm.into(),
        group: "www-data php-fpm8.2".into(),
        counter: counter.into(),
        title: title.into(),
        baseline: span(before),
        candidate: span(after),
        ratio: Some(Span { value: after / before, low: after / before - 0.002, high: after / before + 0.002 }),
        noise_floor: 0.1,
        is_changed: before != after,
    };
    rows.map(row).to_vec()
}

/// 4,800 requests an arm at 40/s.
pub(crate) fn class_map() -> ProveDocument {
    let candidate = "candidate";
    let mut comparisons = vec![
        latency(candidate, "latency.p50", 26.2, 22.7, 0.012),
        latency(candidate, "latency.p90", 29.2, 25.7, 0.013),
        latency(candidate, "latency.p95", 31.1, 27.3, 0.018),
        latency(candidate, "latency.p99", 40.6, 39.9, 0.045),
        latency(candidate, "latency.mean", 27.2, 23.6, 0.011),
        compare(candidate, "within.25ms", 0.186, 0.861, 0.04),
        compare(candidate, "within.50ms", 0.9948, 0.9951, 0.002),
        compare(candidate, "throughput", 39.99, 39.98, 0.001),
        // Exact: each answer is as long as every other.
        compare(candidate, "bytes.body", 61_440.0, 61_440.0, 0.0),
    ];
    comparisons.extend(weights(candidate));
    comparisons.push(latency("baseline again", "latency.p50", 26.2, 26.25, 0.012));
    ProveDocument {
        title: "An optimised class map for the wiki".into(),
        schema: ProveDocument::SCHEMA.into(),
        about: About { seed: Some(7), ..About::default() },
        design: "ab".into(),
        target: "http://127.0.0.1:8080/index.php/Main_Page".into(),
        ended: "complete".into(),
        rate: Some(40.0),
        concurrency: 64,
        keep_cookies: true,
        elapsed_ns: 360_000_000_000,
        phase_ns: 5_000_000_000,
        blocks: 24,
        restarts: 6,
        resampled: "restarts".into(),
        send_lag_p99_ns: Some(61_000),
        agents: Vec::new(),
        arms: vec![
            arm("baseline", &[], &["baseline"], 26.2),
            arm(candidate, &["class map"], &["candidate"], 22.7),
            arm("baseline again", &[], &["baseline again"], 26.25),
        ],
        comparisons,
        interactions: Vec::new(),
        counted: counted(candidate),
        not_counted: None,
        time_for_one_percent_ns: Some(1_500_000_000_000),
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
        warnings: vec![Warning::ChangedInArm { arm: candidate.into(), changed: 4_799, requests: 4_800 }.to_string()],
    }
}

/// 16 s to 5.8 s cold.
pub(crate) fn five_patches() -> ProveDocument {
    let knobs = ["class map", "lazy services", "message cache", "one query", "no debug log"];
    let alone = [0.38, 0.66, 0.91, 0.82, 0.75];
    let so_far = [0.38, 0.372, 0.371, 0.366, 0.3625];
    let without = [0.71, 0.39, 0.3628, 0.374, 0.381];
    let mut arms = vec![Arm { cold_box_plot_ns: Some(boxes(16_000.0)), ..arm("baseline", &[], &["baseline"], 26.2) }];
    let mut comparisons = Vec::new();
    let mut measured = |name: &str, on: &[&str], roles: &[&str], ratio: f64| {
        let warm = 1.0 - (1.0 - ratio) * 0.21;
        let mut arm = arm(name, on, roles, 26.2 * warm);
        arm.cold_box_plot_ns = Some(boxes(16_000.0 * ratio));
        arms.push(arm);
        comparisons.extend([
            latency(name, "latency.p50", 26.2, 26.2 * warm, 0.024),
            latency(name, "latency.mean", 27.2, 27.2 * warm, 0.022),
            latency(name, "cold.latency.p50", 16_000.0, 16_000.0 * ratio, 0.011),
            latency(name, "cold.latency.mean", 16_300.0, 16_300.0 * ratio, 0.012),
        ]);
    };
    for (i, knob) in knobs.iter().enumerate() {
        let roles = if i == 0 { vec!["alone", "cumulative"] } else { vec!["alone"] };
        measured(knob, &[knob], &roles, alone[i]);
    }
    for i in 1..4 {
        measured(&format!("up to {}", knobs[i]), &knobs[..=i], &["cumulative"], so_far[i]);
    }
    for (i, knob) in knobs.iter().enumerate() {
        let on: Vec<&str> = knobs.iter().copied().filter(|other| other != knob).collect();
        measured(&format!("all but {knob}"), &on, &["all but one"], without[i]);
    }
    measured("all", &knobs, &["all", "cumulative"], 0.3625);
    comparisons.extend(weights("all"));
    arms.push(Arm {
        cold_box_plot_ns: Some(boxes(16_040.0)),
        ..arm("baseline again", &[], &["baseline again"], 26.22)
    });
    ProveDocument {
        title: "Five patches".into(),
        design: "ablate".into(),
        arms,
        comparisons,
        interactions: vec![Interaction {
            metric: "cold.latency.p50".into(),
            knobs: knobs.map(str::to_owned).to_vec(),
            kind: Interaction::ALL_AGAINST_ALONE.into(),
            ratio: 0.3625,
            low: 0.3625 - 0.011,
            high: 0.3625 + 0.011,
            expected: Some(Span { value: 0.1404, low: 0.1404 - 0.009, high: 0.1404 + 0.009 }),
            told: true,
            verdict: "told".into(),
        }],
        time_for_one_percent_ns: None,
        gates: Vec::new(),
        warnings: Vec::new(),
        counted: Vec::new(),
        ..class_map()
    }
}

/// Two knobs, every combination.
pub(crate) fn two_knobs() -> ProveDocument {
    let arm_of = |name: &str, on: &[&str], roles: &[&str], median| arm(name, on, roles, median);
    let interaction = |knobs: &[&str], kind: &str, ratio: f64, told: bool| Interaction {
        metric: "latency.p50".into(),
        knobs: knobs.iter().map(|knob| (*knob).to_owned()).collect(),
        kind: kind.into(),
        ratio,
        low: ratio - 0.012,
        high: ratio + 0.012,
        expected: None,
        told,
        verdict: if told { "told" } else { Change::Equal.as_str(Metric::Latency) }.into(),
    };
    ProveDocument {
        title: "Class map and sidecar".into(),
        design: "factorial".into(),
        arms: vec![
            arm_of("baseline", &[], &["baseline", "combination"], 26.2),
            arm_of("class map", &["class map"], &["combination"], 22.7),
            arm_of("sidecar", &["sidecar"], &["combination"], 27.9),
            arm_of("class map + sidecar", &["class map", "sidecar"], &["combination", "all"], 24.1),
            arm_of("baseline again", &[], &["baseline again"], 26.25),
        ],
        comparisons: vec![
            latency("class map", "latency.p50", 26.2, 22.7, 0.012),
            latency("sidecar", "latency.p50", 26.2, 27.9, 0.012),
            latency("class map + sidecar", "latency.p50", 26.2, 24.1, 0.012),
            latency("class map + sidecar", "latency.p95", 31.1, 28.7, 0.018),
            latency("baseline again", "latency.p50", 26.2, 26.25, 0.012),
        ],
        interactions: vec![
            interaction(&["class map"], Interaction::MAIN_EFFECT, 0.865, true),
            interaction(&["sidecar"], Interaction::MAIN_EFFECT, 1.063, true),
            interaction(&["class map", "sidecar"], Interaction::PAIR, 0.997, false),
        ],
        time_for_one_percent_ns: None,
        gates: Vec::new(),
        profiles: Vec::new(),
        put_back: Vec::new(),
        warnings: vec![Warning::SameArmDiffers { ratio: 1.021 }.to_string()],
        counted: Vec::new(),
        ..class_map()
    }
}

/// Two places of a page, of which only one can be asked.
pub(crate) fn each_alone() -> ProveDocument {
    let arms = [("by max-age", 0.144, 39_900.0), ("by validator", 0.278, 16_100.0)];
    let mut comparisons = Vec::new();
    for (name, median, rate) in arms {
        comparisons.extend([
            latency(name, "latency.p50", 67.1, median, 0.0003),
            latency(name, "latency.mean", 68.0, median * 4.0, 0.002),
            compare(name, "throughput", 196.6, rate, 16.0),
        ]);
    }
    let measured = arms.map(|(name, median, _)| arm(name, &[name], &["alone"], median));
    ProveDocument {
        title: "A page, straight and from memory".into(),
        design: "each".into(),
        arms: [vec![arm("baseline", &[], &["baseline"], 67.1)], measured.to_vec()].concat(),
        comparisons,
        time_for_one_percent_ns: None,
        gates: Vec::new(),
        profiles: Vec::new(),
        put_back: Vec::new(),
        warnings: Vec::new(),
        counted: Vec::new(),
        ..class_map()
    }
}

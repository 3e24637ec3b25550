use proptest::prelude::*;
use unladen_document::{About, WeighDocument, Weight};

use super::*;
use crate::tests::simulation::{Simulated, World};
use crate::{Row, Verdict, WhyUnjudged};

/// What many comparisons of runs of one world said.
#[derive(Debug, Default)]
struct Tally {
    comparisons: f64,
    rows: f64,
    false_rows: f64,
    false_comparisons: f64,
    found: f64,
    covered: f64,
    of_ratio: f64,
    equal: f64,
}

/// Compares pairs after a history of this many runs; in the later run, PHP takes `factor` of its usual time.
fn pairs(world: World, past: usize, factor: f64, trials: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..trials {
        let mut simulated = Simulated::new(world, seed);
        let history: History = (0..past).map(|_| simulated.run(1.0)).collect::<Vec<_>>().iter().collect();
        let (before, after) = (simulated.run(1.0), simulated.run(factor));
        let comparison = compare(&before, &after, &history);
        let of_php = |row: &&Row| row.headline;
        let php = comparison.rows.iter().find(of_php).unwrap();
        // Divided out of times on a processor, the machine's speed does not count.
        let ratio = php.ratio.unwrap();
        tally.covered += f64::from(ratio.low <= factor && factor <= ratio.high);
        tally.found +=
            f64::from(if factor > 1.0 { php.verdict == Verdict::Heavier } else { php.verdict == Verdict::Lighter });
        let told = comparison.changed().count() as f64;
        tally.rows += comparison.rows.len() as f64;
        tally.equal +=
            comparison.rows.iter().filter(|row| row.verdict == Verdict::NoMeasurableDifference).count() as f64;
        tally.false_rows += told;
        tally.false_comparisons += f64::from(told > 0.0);
        tally.of_ratio += ratio.high - ratio.low;
        tally.comparisons += 1.0;
    }
    tally.covered /= tally.comparisons;
    tally.found /= tally.comparisons;
    tally.false_comparisons /= tally.comparisons;
    tally.false_rows /= tally.rows;
    tally.equal /= tally.rows;
    tally.of_ratio /= tally.comparisons * 2.0;
    tally
}

const NOISY_REFERENCE: World = World { wander: 0.03, reference: Some(0.003), ..World::QUIET };
const HEAVY_TAILS: World = World { wander: 0.03, heavy: true, between: 0.005, ..World::QUIET };
const BURSTS: World = World { bursts: 0.1, between: 0.005, ..World::QUIET };

#[test]
fn runs_of_the_same_thing_do_not_differ() {
    for world in [World::QUIET, NOISY_REFERENCE, HEAVY_TAILS, BURSTS] {
        let tally = pairs(world, 12, 1.0, 120);
        assert!(tally.false_comparisons <= 0.05 && tally.false_rows <= 0.01, "{world:?}: {tally:?}");
        assert!(tally.equal > 0.75, "{world:?}: {tally:?}");
    }
}

#[test]
fn three_percent_are_found_where_the_runs_are_as_precise() {
    let tally = pairs(World::QUIET, 8, 1.03, 150);
    assert!(tally.found >= 0.9, "{tally:?}");
    let tally = pairs(World { wander: 0.03, ..World::QUIET }, 8, 0.97, 150);
    assert!(tally.found >= 0.9, "{tally:?}");
}

#[test]
fn the_ratio_s_interval_covers_the_truth() {
    let worlds = [World::QUIET, HEAVY_TAILS, World { between: 0.01, ..World::QUIET }];
    let covered = worlds.map(|world| pairs(world, 20, 1.1, 150).covered);
    let mean = covered.iter().sum::<f64>() / 3.0;
    // Of 150, 95 % are counted to ± 3.5 %; of all of them, to ± 2 %.
    assert!(
        covered.iter().all(|share| (0.915..=0.99).contains(share)) && (0.93..=0.975).contains(&mean),
        "{covered:?}"
    );
    // With few runs it may be wider than that, not narrower.
    let tally = pairs(NOISY_REFERENCE, 3, 1.1, 60);
    assert!(tally.covered >= 0.93, "{tally:?}");
}

/// After two or three runs of a machine that varies by more than the general figure says, that figure counted for as much
/// as four runs: one interval in seven did not hold the truth.
#[test]
fn few_runs_of_a_noisy_machine_are_told_as_few() {
    for (between, past, least) in [
        (0.005, 2, 0.95),
        (0.015, 2, 0.95),
        (0.015, 3, 0.94),
        (0.03, 2, 0.92),
        (0.03, 5, 0.92),
        (0.06, 2, 0.91),
        (0.06, 3, 0.91),
        (0.06, 10, 0.92),
    ] {
        let tally = pairs(World { between, ..World::QUIET }, past, 1.1, 250);
        assert!(tally.covered >= least, "{between} after {past} runs: {tally:?}");
    }
}

/// Prints the table of docs/concepts/between-runs.md:
/// `cargo test -p unladen-compare --lib the_table -- --ignored --nocapture`
#[test]
#[ignore = "minutes: it asserts nothing, and prints what the documentation shows"]
fn the_table_of_what_comparisons_find() {
    let of = |between| World { between, ..World::QUIET };
    let wanders = |world| World { wander: 0.03, reference: Some(0.003), ..world };
    let worlds: [(&str, World, &[usize]); 8] = [
        ("0.3 %", of(0.003), &[0, 2, 8, 20]),
        ("0.5 %", of(0.005), &[2, 8, 20]),
        ("1 %", of(0.01), &[8, 20]),
        ("1.5 %", of(0.015), &[2, 8, 20]),
        ("6 %", of(0.06), &[2, 3, 8, 20]),
        ("0.3 %, a machine that wanders by 3 % a run, reference work known to ±0.6 %", wanders(of(0.003)), &[8, 20]),
        (
            "0.5 %, tails of Student's t with three degrees of freedom, the same machine",
            wanders(World { heavy: true, ..of(0.005) }),
            &[8, 20],
        ),
        ("0.5 %, and bursts of up to 2.5 % in every tenth run", BURSTS, &[8, 20]),
    ];
    println!(
        "| effects of runs | earlier runs | interval | differ | cover | 3 % found |\n|---|---:|---:|---:|---:|---:|"
    );
    for (name, world, pasts) in worlds {
        for past in pasts {
            let (same, other) = (pairs(world, *past, 1.0, 1_000), pairs(world, *past, 1.03, 1_000));
            let [interval, differ, cover, found] =
                [same.of_ratio, same.false_comparisons, same.covered, other.found].map(|share| share * 100.0);
            println!("| {name} | {past} | ±{interval:.1} % | {differ:.1} % | {cover:.1} % | {found:.0} % |");
        }
    }
}

/// A change of a word failed a gate whose first two runs had different neighbours.
#[test]
fn forced_switches_are_of_the_neighbours_until_a_history_tells() {
    let (history, mut before, mut after) = usual();
    for (run, of_run) in [(&mut before, 1.25), (&mut after, 1.99)] {
        let switches = |counter: &str| Weight {
            url: "http://localhost/".into(),
            group: "php".into(),
            counter: counter.into(),
            unit: "1".into(),
            per_request: of_run,
            low: of_run - 0.07,
            high: of_run + 0.07,
            follows: true,
            blocks: 16,
            ..Weight::default()
        };
        weigh(run).weights.extend(["involuntary_switches", "voluntary_switches"].map(switches));
    }
    let verdict = |history: &History, counter: &str| {
        let comparison = compare(&before, &after, history);
        row(&comparison, &format!("weight.{counter} php")).verdict
    };
    assert_eq!(verdict(&History::new(), "involuntary_switches"), Verdict::Unclear);
    // Those that a page makes itself are its own.
    assert_eq!(verdict(&History::new(), "voluntary_switches"), Verdict::Heavier);
    assert_eq!(verdict(&history, "involuntary_switches"), Verdict::Unclear);
}

fn weigh(document: &mut Document) -> &mut WeighDocument {
    let Document::Weigh(document) = document else { panic!("{document:?}") };
    document
}

fn row<'a>(comparison: &'a Comparison, metric: &str) -> &'a Row {
    comparison.rows.iter().find(|row| row.metric == metric).unwrap_or_else(|| panic!("no {metric}: {comparison:#?}"))
}

/// Eight runs, and two more.
fn usual() -> (History, Document, Document) {
    let mut simulated = Simulated::new(World::QUIET, 7);
    let history = (0..8).map(|_| simulated.run(1.0)).collect::<Vec<_>>().iter().collect();
    (history, simulated.run(1.0), simulated.run(1.0))
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let (history, run, _) = usual();
    let comparison = compare(&run, &run, &history);
    assert_eq!(comparison.comparable, Comparable::Yes);
    assert!(comparison.rows.iter().all(|row| row.verdict == Verdict::NoMeasurableDifference), "{comparison:#?}");
    assert!(comparison.rows.len() > 12 && comparison.warnings.is_empty(), "{:?}", comparison.warnings);
}

#[test]
fn the_two_runs_are_no_history_of_themselves() {
    let (_, before, after) = usual();
    let history = [before.clone(), after.clone()].iter().collect();
    assert_eq!(compare(&before, &after, &history).history, Past::default());
}

#[test]
fn runs_that_measured_otherwise_are_not_compared() {
    let (history, before, mut after) = usual();
    weigh(&mut after).concurrency = 8;
    weigh(&mut after).keep_alive = true;
    let comparison = compare(&before, &after, &history);
    let reasons = ["concurrency differs: 0 before, 8 after", "keep-alive differs: false before, true after"];
    assert_eq!(comparison.comparable.reasons(), reasons);
    assert!(comparison.rows.is_empty() && comparison.findings.is_empty());
    let other = Document::read(br#"{"schema": "unladen.load/1"}"#).unwrap();
    let reason = compare(&before, &other, &history).comparable;
    assert_eq!(reason.reasons(), ["one is a result of `weigh`, the other of `load`"]);
}

fn about(document: &mut Document) -> &mut About {
    let Document::Weigh(document) = document else { unreachable!("the usual documents are of `weigh`") };
    &mut document.about
}

/// Another machine, whose reference work of each kind takes so much of the time.
fn moved(document: &Document, factors: [f64; 3], work: f64) -> Document {
    let mut document = document.clone();
    let about = about(&mut document);
    about.host = Some("web2".into());
    for (reference, factor) in about.machine.as_mut().unwrap().reference.iter_mut().zip(factors) {
        (reference.ns, reference.low, reference.high) =
            (reference.ns * factor, reference.low * factor, reference.high * factor);
    }
    for weight in weigh(&mut document).weights.iter_mut().filter(|weight| weight.unit == "ns") {
        (weight.per_request, weight.low, weight.high) =
            (weight.per_request * work, weight.low * work, weight.high * work);
    }
    document
}

#[test]
fn across_machines_times_are_in_units_of_the_reference_work() {
    let (history, before, after) = usual();
    let comparison = compare(&before, &moved(&after, [1.4; 3], 1.4), &history);
    assert_eq!(comparison.comparable.reasons(), ["the machine differs: web1 before, web2 after"]);
    let php = row(&comparison, "weight.cpu php");
    assert!(
        php.in_reference_units && !php.verdict.is_told() && (php.ratio.unwrap().value - 1.0).abs() < 0.03,
        "{php:?}"
    );
    // Half of it again is no difference of machines.
    let comparison = compare(&before, &moved(&after, [1.4; 3], 2.1), &history);
    assert_eq!(row(&comparison, "weight.cpu php").verdict, Verdict::Heavier);
    // What waiting there was in a latency is not known.
    assert_eq!(row(&comparison, "latency.p50").verdict, Verdict::NotComparable);
    assert_eq!(row(&comparison, "weight.read_calls php").verdict, Verdict::NoMeasurableDifference);
}

#[test]
fn where_the_reference_work_disagrees_times_are_not_compared() {
    let (history, before, after) = usual();
    let comparison = compare(&before, &moved(&after, [1.0, 1.3, 1.0], 1.3), &history);
    let why = comparison.speed.as_ref().unwrap().disagreement.as_deref().unwrap();
    assert!(why.contains("memory took ×1.30"), "{why}");
    assert!(comparison.warnings.iter().any(|warning| warning.starts_with(why)), "{:?}", comparison.warnings);
    assert_eq!(row(&comparison, "weight.cpu php").verdict, Verdict::NotComparable);
    assert_eq!(row(&comparison, "weight.read_calls php").verdict, Verdict::NoMeasurableDifference);
}

#[test]
fn across_machines_without_reference_work_counts_alone_are_compared() {
    let (history, before, after) = usual();
    let mut after = moved(&after, [1.0; 3], 1.0);
    about(&mut after).machine = None;
    let comparison = compare(&before, &after, &history);
    assert_eq!(row(&comparison, "weight.cpu php").verdict, Verdict::NotComparable);
    assert_eq!(row(&comparison, "weight.minor_faults php").verdict, Verdict::NoMeasurableDifference);
    assert!(comparison.warnings.iter().any(|warning| warning.ends_with("times are not compared")));
}

#[test]
fn a_slower_clock_is_no_slower_page() {
    let (history, before, mut after) = usual();
    for reference in &mut about(&mut after).machine.as_mut().unwrap().reference {
        (reference.ns, reference.low, reference.high) =
            (reference.ns * 1.08, reference.low * 1.08, reference.high * 1.08);
    }
    let page = &mut weigh(&mut after).urls[0];
    for (name, ns) in &mut page.latency_ns {
        let interval = page.latency_intervals_ns.get_mut(name).unwrap();
        (*ns, interval.low, interval.high) = (*ns * 108 / 100, interval.low * 108 / 100, interval.high * 108 / 100);
    }
    let latency = row(&compare(&before, &after, &history), "latency.p50").clone();
    assert!(!latency.verdict.is_told() && latency.floor.unwrap() > 0.08, "{latency:?}");
}

/// Gates failed where neighbours of the machine were busier in one run than in the other.
#[test]
fn a_machine_that_is_taken_away_makes_no_slower_page() {
    let (history, before, after) = usual();
    // What the hypervisor took in the later run, by which factor its times are longer, and whether the page is slower.
    for (share, percent, is_slower) in [(0.3, 138, false), (0.3, 200, true), (0.0, 138, true), (0.99, 200, false)] {
        let mut after = after.clone();
        about(&mut after).machine.as_mut().unwrap().stolen_share = Some(share);
        let page = &mut weigh(&mut after).urls[0];
        for (name, ns) in &mut page.latency_ns {
            let interval = page.latency_intervals_ns.get_mut(name).unwrap();
            for ns in [ns, &mut interval.low, &mut interval.high] {
                *ns = *ns * percent / 100;
            }
        }
        let comparison = compare(&before, &after, &history);
        let latency = row(&comparison, "latency.p50");
        assert_eq!(latency.verdict == Verdict::Slower, is_slower, "{share} {percent}: {latency:?}");
        let says_so = comparison.warnings.iter().any(|warning| warning.contains("the hypervisor took"));
        assert_eq!(says_so, share > 0.0, "{:?}", comparison.warnings);
        // The other way round, what was taken from the earlier run hides nothing of a page that is slower by itself.
        let back = compare(&after, &before, &history);
        assert_eq!(row(&back, "latency.p50").verdict == Verdict::Faster, is_slower, "{share} {percent}");
    }
}

/// A rate is lower where times are longer.
#[test]
fn a_slower_machine_is_no_lower_rate() {
    let load = |rate: f64, stolen: f64| {
        let mean = 1e9 / rate;
        let text = format!(
            r#"{{"schema": "unladen.load/1", "target": "http://localhost/", "host": "web1", "requests": 9, "throughput": {rate},
                "latency_ns": {{"mean": {}}}, "latency_intervals_ns": {{"mean": {{"low": {}, "high": {}}}}},
                "machine": {{"stolen_share": {stolen}}}}}"#,
            mean as u64,
            (mean * 0.999) as u64,
            (mean * 1.001) as u64
        );
        Document::read(text.as_bytes()).unwrap()
    };
    let usual = [1000.0, 1001.0, 999.0, 1000.5, 999.5, 1000.0, 1000.2].map(|rate| load(rate, 0.0));
    let history: History = usual.iter().collect();
    for (rate, stolen, verdict) in [(700.0, 0.0, Verdict::Slower), (700.0, 0.3, Verdict::NotComparable)] {
        let comparison = compare(&usual[0], &load(rate, stolen), &history);
        assert_eq!(row(&comparison, "throughput").verdict, verdict, "{comparison:?}");
    }
}

#[test]
fn a_group_that_is_not_there_any_more_is_gone() {
    let (history, before, mut after) = usual();
    weigh(&mut after).weights.retain(|weight| weight.group != "nginx");
    let comparison = compare(&before, &after, &history);
    let nginx = row(&comparison, "weight.cpu nginx");
    assert!(nginx.verdict == Verdict::Gone && nginx.after.is_none() && nginx.ratio.is_none(), "{nginx:?}");
    let comparison = compare(&after, &before, &history);
    assert_eq!(row(&comparison, "weight.cpu nginx").verdict, Verdict::New);
}

#[test]
fn what_a_run_did_not_count_is_not_gone() {
    let (history, before, mut after) = usual();
    weigh(&mut after).weights.retain(|weight| weight.counter != "read_calls");
    let comparison = compare(&before, &after, &history);
    assert!(comparison.rows.iter().all(|row| row.counter.as_deref() != Some("read_calls")));
    assert_eq!(comparison.warnings, ["the later run did not count read_calls: not compared"]);
}

#[test]
fn exact_counters_differ_where_they_do() {
    let (history, before, mut after) = usual();
    for weight in weigh(&mut after).weights.iter_mut().filter(|weight| weight.counter == "read_calls") {
        (weight.per_request, weight.low, weight.high) = (41.0, 41.0, 41.0);
    }
    let comparison = compare(&before, &after, &history);
    let calls = row(&comparison, "weight.read_calls php");
    assert!(calls.verdict == Verdict::Heavier && calls.difference.unwrap().low > 0.5, "{calls:?}");
}

/// A library that asks for memory once in ten requests, and not at all in a shorter run, failed gates of the same thing.
#[test]
fn what_is_no_part_of_each_request_is_not_judged_without_earlier_runs() {
    let run = |calls: f64| {
        let count = |counter: &str, value: f64| {
            serde_json::json!({"url": "http://a/", "state": "warm", "group": "php", "counter": counter,
                "per_request": value, "low": value * 0.99, "high": value * 1.01, "noise_floor": 0.0, "invalid": false})
        };
        let mut counts = vec![count("syscalls", 8.0)];
        counts.extend((calls > 0.0).then(|| count("syscall.mprotect", calls)));
        let value = serde_json::json!({"schema": "unladen.weigh/1", "target": "http://a/",
            "urls": [{"url": "http://a/"}], "counts": counts});
        Document::read(value.to_string().as_bytes()).unwrap()
    };
    let verdict =
        |calls: f64| row(&compare(&run(0.0), &run(calls), &History::new()), "count.syscall.mprotect php").verdict;
    assert_eq!((verdict(0.1), verdict(3.0)), (Verdict::Unclear, Verdict::New));
}

/// Run 1 knew all calls to no more than 35, and was not certain of three kinds of them; run 2 was. They were "new", and a
/// gate failed without a change.
#[test]
fn a_kind_of_call_is_not_new_where_all_calls_were_hardly_known() {
    let run = |margin: f64, ioctl: bool| {
        let count = |counter: &str, value: f64, margin: f64| {
            serde_json::json!({"url": "http://a/", "state": "warm", "group": "php", "counter": counter,
                "per_request": value, "low": value - margin, "high": value + margin, "noise_floor": 0.0, "invalid": false})
        };
        let mut counts = vec![count("syscalls", 293.0, margin), count("syscall.fcntl", 130.0, 0.0)];
        counts.extend(ioctl.then(|| count("syscall.ioctl", 4.0, 0.0)));
        let value = serde_json::json!({"schema": "unladen.weigh/1", "target": "http://a/",
            "urls": [{"url": "http://a/"}], "counts": counts});
        Document::read(value.to_string().as_bytes()).unwrap()
    };
    let verdict = |margin: f64| {
        let compared = compare(&run(margin, false), &run(1.0, true), &History::new());
        row(&compared, "count.syscall.ioctl php").verdict
    };
    assert_eq!((verdict(35.0), verdict(0.1)), (Verdict::Unclear, Verdict::New));
}

/// Beside other work a count whose interval reached down to nothing was not in main's document, and "new" in the branch's.
#[test]
fn a_count_that_was_not_certain_was_new() {
    let run = |calls: Option<[f64; 3]>| {
        let count = |counter: &str, [value, low, high]: [f64; 3]| {
            serde_json::json!({"url": "http://a/", "state": "warm", "group": "php", "counter": counter,
                "per_request": value, "low": low, "high": high, "noise_floor": 0.0, "invalid": false})
        };
        let mut counts = vec![count("syscall.recvfrom", [1.0, 1.0, 1.0])];
        counts.extend(calls.map(|calls| count("syscalls", calls)));
        let value = serde_json::json!({"schema": "unladen.weigh/1", "target": "http://a/",
            "urls": [{"url": "http://a/"}], "counts": counts});
        Document::read(value.to_string().as_bytes()).unwrap()
    };
    let verdict =
        |calls: [f64; 3]| row(&compare(&run(None), &run(Some(calls)), &History::new()), "count.syscalls php").verdict;
    assert_ne!(verdict([8.29, 4.14, 12.4]), Verdict::New);
    assert_eq!(verdict([8.29, 8.2, 8.4]), Verdict::New);
}

#[test]
fn a_short_history_is_told() {
    let (_, before, after) = usual();
    let comparison = compare(&before, &after, &History::new());
    assert!(comparison.warnings[0].starts_with("no other runs of this target and machine show how much runs vary"));
    assert!(row(&comparison, "weight.cpu php").floor.unwrap() > 0.03);
}

#[test]
fn the_document_has_its_schema_and_words() {
    let (history, before, after) = usual();
    let value = serde_json::to_value(compare(&before, &after, &history)).unwrap();
    assert_eq!(value["schema"], "unladen.compare/1");
    assert_eq!(value["comparable"], serde_json::json!({"verdict": "yes"}));
    assert_eq!(value["rows"][0]["verdict"], "no measurable difference");
    assert_eq!(value["rows"][0]["kind"], "weight");
    let schema = unladen_document::Schema::named("compare").unwrap().json();
    let schema = format!("{schema:#}");
    let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    for list in ["before", "history", "speed"] {
        names.extend(value[list].as_object().unwrap().keys().cloned());
    }
    names.extend(value["rows"][0].as_object().unwrap().keys().cloned());
    for name in names {
        assert!(schema.contains(&format!("\"{name}\": {{")), "{name}");
    }
}

/// The groups of a host that was not looked at would have become free.
#[test]
fn runs_that_looked_at_other_hosts_are_no_answers_to_the_same_question() {
    let (history, mut before, mut after) = usual();
    let host = |name: &str, blocks| unladen_document::WeighedHost {
        name: name.into(),
        blocks,
        ..unladen_document::WeighedHost::default()
    };
    weigh(&mut before).hosts = vec![host("db", 15), host("cache", 15)];
    weigh(&mut before).weights[0].group = "db/postgres".into();
    weigh(&mut after).hosts = vec![host("db", 15), host("cache", 3)];
    let told = format!("{:?}", compare(&before, &after, &history).comparable);
    assert!(told.contains("the set of other hosts and exporters differs: cache, db before, db after"), "{told}");
    weigh(&mut after).hosts[1].blocks = 15;
    assert_eq!(compare(&before, &after, &history).comparable, Comparable::Yes);
}

/// A gate failed for a series that was new: the document has those alone that follow the requests.
#[test]
fn a_series_of_an_exporter_that_is_not_told_is_not_zero() {
    let (history, mut before, mut after) = usual();
    let exporter = unladen_document::WeighedHost {
        name: "db".into(),
        kind: "exporter".into(),
        blocks: 15,
        ..unladen_document::WeighedHost::default()
    };
    let one = weigh(&mut before).weights[0].clone();
    for (document, groups) in [(&mut before, ["db/one"].as_slice()), (&mut after, &["db/one", "db/two"])] {
        let rows = groups.iter().map(|group| unladen_document::Weight { group: (*group).into(), ..one.clone() });
        weigh(document).weights.extend(rows);
        weigh(document).hosts = vec![exporter.clone()];
    }
    let groups = |comparison: &Comparison| -> Vec<(Option<String>, Verdict)> {
        comparison.rows.iter().map(|row| (row.group.clone(), row.verdict)).collect()
    };
    let told = groups(&compare(&before, &after, &history));
    assert!(told.iter().any(|(group, _)| group.as_deref() == Some("db/one")), "{told:?}");
    assert!(told.iter().all(|(group, _)| group.as_deref() != Some("db/two")), "{told:?}");
    for document in [&mut before, &mut after] {
        weigh(document).hosts[0].kind = "host".into();
    }
    let told = groups(&compare(&before, &after, &history));
    assert!(told.contains(&(Some("db/two".into()), Verdict::New)), "{told:?}");
}

/// What was lost was told as a matter of the machines' speeds.
#[test]
fn lost_records_are_told_as_such() {
    let (history, before, mut after) = usual();
    weigh(&mut after).weights[0].invalid = true;
    let comparison = compare(&before, &after, &history);
    let whys: Vec<WhyUnjudged> = comparison.not_judged.iter().map(|unjudged| unjudged.why).collect();
    assert!(whys.contains(&WhyUnjudged::RecordsLost) && !whys.contains(&WhyUnjudged::NotComparable), "{whys:?}");
}

/// A load from here and one from another host were compared: the way to the server is part of both.
#[test]
fn loads_from_other_hosts_are_no_answers_to_the_same_question() {
    let load = |agents: &str| {
        let text = format!(r#"{{"schema": "unladen.load/1", "target": "http://a/", "agents": [{agents}]}}"#);
        Document::read(text.as_bytes()).unwrap()
    };
    let (here, one, two) = (load(""), load(r#"{"name": "one"}"#), load(r#"{"name": "two"}, {"name": "one"}"#));
    let told = |before: &Document, after: &Document| compare(before, after, &History::new()).comparable;
    assert_eq!(told(&two, &load(r#"{"name": "one"}, {"name": "two"}"#)), Comparable::Yes);
    let reasons = format!("{:?}", told(&here, &one));
    assert!(reasons.contains("the set of sending hosts differs: this machine before, one after"), "{reasons}");
}

/// "Varies too much between runs" was said of runs that were too short.
#[test]
fn what_the_runs_themselves_do_not_know_is_not_said_of_the_history() {
    let run = |p50: u64, half: u64| {
        let text = format!(
            r#"{{"schema": "unladen.load/1", "target": "http://a/", "latency_ns": {{"p50": {p50}}},
                "latency_intervals_ns": {{"p50": {{"low": {}, "high": {}}}}}}}"#,
            p50 - half,
            p50 + half
        );
        Document::read(text.as_bytes()).unwrap()
    };
    let whys = |spread: u64, half: u64| -> Vec<WhyUnjudged> {
        let past: Vec<Document> = (0..12).map(|index| run(20_000_000 + index % 3 * spread, 20_000)).collect();
        let compared = compare(&run(20_000_000, half), &run(20_100_000, half), &past.iter().collect());
        compared.not_judged.iter().map(|unjudged| unjudged.why).collect()
    };
    assert_eq!(whys(20_000, 6_000_000), [WhyUnjudged::Imprecise]);
    assert_eq!(whys(9_000_000, 20_000), [WhyUnjudged::Varies]);
}

#[test]
fn a_document_of_too_many_metrics_is_cut() {
    let (history, mut before, mut after) = usual();
    for document in [&mut before, &mut after] {
        let one = weigh(document).weights[0].clone();
        let many = (0..3000).map(|index| unladen_document::Weight { group: format!("g{index}"), ..one.clone() });
        weigh(document).weights = many.collect();
    }
    let comparison = compare(&before, &after, &history);
    assert_eq!(comparison.rows.len(), 2000);
    assert_eq!(comparison.warnings.last().unwrap(), "1004 of 3004 metrics are left out");
    let left_out = comparison.not_judged.iter().filter(|unjudged| unjudged.why == WhyUnjudged::LeftOut).count();
    assert_eq!(left_out, 1004, "a gate that asks for all passed over them");
}

/// A weighing of one counter and one latency, of any figures.
fn any_run(figures: &[f64; 4]) -> Document {
    let [value, low, high, floor] = figures.map(|figure| serde_json::json!(figure));
    let text = serde_json::json!({
        "schema": "unladen.weigh/1", "target": "http://a/", "urls": [{"url": "http://a/", "total_cpu_ns": {"value": value, "low": low, "high": high}}],
        "weights": [{"url": "http://a/", "group": "g", "counter": "cpu", "unit": "ns", "per_request": value, "low": low,
            "high": high, "noise_floor": floor, "follows": true}],
        "machine": {"reference": [{"name": "memory", "ns": value, "low": low, "high": high}]},
    });
    Document::read(text.to_string().as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn any_figures_have_a_verdict(runs in proptest::collection::vec(any::<[f64; 4]>(), 2..9)) {
        let runs: Vec<Document> = runs.iter().map(|run| run.map(|x| if x.is_finite() { x } else { 0.0 })).map(|run| any_run(&run)).collect();
        let history: History = runs[2..].iter().collect();
        let comparison = compare(&runs[0], &runs[1], &history);
        for row in &comparison.rows {
            prop_assert!((0.0..=1.0).contains(&row.adjusted_p), "{row:?}");
            prop_assert!(!(row.verdict == Verdict::NoMeasurableDifference && row.difference.is_none()), "{row:?}");
        }
        let same = compare(&runs[0], &runs[0], &history);
        prop_assert!(same.rows.iter().all(|row| !row.verdict.is_told()), "{same:?}");
        serde_json::to_string(&crate::trend(&history)).unwrap();
    }
}

/// An experiment of these arms, each with the same effect.
fn experiment(arms: &[&str]) -> Document {
    let comparison = |arm: &&str| {
        format!(
            r#"{{"arm": "{arm}", "metric": "latency.p50", "unit": "ns", "candidate": 80, "candidate_low": 79, "candidate_high": 81,
                "ratio": 0.8, "low": 0.79, "high": 0.81}}"#
        )
    };
    let all: Vec<String> = arms.iter().map(comparison).collect();
    let text = format!(
        r#"{{"schema": "unladen.prove/1", "target": "http://a/", "design": "each", "comparisons": [{}]}}"#,
        all.join(", ")
    );
    Document::read(text.as_bytes()).unwrap()
}

/// Two experiments on one page were said to have counted nothing in common, metric by metric.
#[test]
fn experiments_that_switch_other_things_answer_other_questions() {
    let said = compare(&experiment(&["cache"]), &experiment(&["compressed"]), &History::new());
    assert_eq!(
        said.comparable.reasons(),
        ["the experiments have no change in common: `cache` before, `compressed` after"]
    );
    assert!(compare(&experiment(&["cache", "map"]), &experiment(&["map"]), &History::new()).comparable.is_comparable());
}

/// The rows of two arms had one name in terminals, Markdown and JUnit: nobody could tell which of them got worse.
#[test]
fn each_row_of_an_experiment_has_a_name_of_its_own() {
    let both = experiment(&["cache", "map"]);
    let compared = compare(&both, &both, &History::new());
    let names: Vec<String> = compared.rows.iter().map(Row::name).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert!(names.len() == 4 && unique.len() == 4, "{names:?}");
    assert!(names.contains(&"effect.latency.p50 in cache".to_owned()), "{names:?}");
    let series = crate::trend(&[both.clone(), both].iter().collect());
    assert_eq!(series.series[0].name(), "effect.latency.p50 in cache");
    assert!(!series.is_looked_at());
}

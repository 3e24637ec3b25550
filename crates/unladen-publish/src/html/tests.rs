use proptest::prelude::*;
use serde_json::{Value, json};
use unladen_compare::{
    ChangePoint, Comparable, Comparison, Figure, FindingChange, FindingVerdict, Kind, Past, Row, RunLabel, Series,
    SeriesPoint, Side, Speed, Trend, Unjudged, Verdict, WhyUnjudged,
};
use unladen_document::{Document, Span};

use super::*;

mod reader;

use reader::read;

const WEIGH: &str = include_str!("tests/weigh.json");
const LOAD: &str = include_str!("tests/load.json");
const PROVE: &str = include_str!("tests/prove.json");
const PROFILE: &str = include_str!("tests/profile.json");
const PROFILE_DIFF: &str = include_str!("tests/profile-diff.json");
const CLASSMAP: &str = include_str!("tests/classmap-check.json");
const BILL: &str = include_str!("tests/bill.json");
const ALL: [&str; 7] = [WEIGH, LOAD, PROVE, PROFILE, PROFILE_DIFF, CLASSMAP, BILL];

fn page_of(text: &str) -> String {
    document_page(&Document::read(text.as_bytes()).unwrap(), &PageOptions::default())
}

/// What people read, of a page that is sound.
#[track_caller]
fn words(page: &str) -> String {
    let read = read(page);
    read.is_sound();
    read.words
}

#[test]
fn a_weighing_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(WEIGH)));
}

#[test]
fn a_load_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(LOAD)));
}

#[test]
fn a_bill_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(BILL)));
}

#[test]
fn an_experiment_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(PROVE)));
}

#[test]
fn a_profile_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(PROFILE)));
}

#[test]
fn profiles_compared_read_like_this() {
    insta::assert_snapshot!(words(&page_of(PROFILE_DIFF)));
}

#[test]
fn a_check_of_a_class_map_reads_like_this() {
    insta::assert_snapshot!(words(&page_of(CLASSMAP)));
}

fn side(id: &str, commit: &str) -> Side {
    Side {
        id: Some(id.into()),
        verb: "weigh".into(),
        target: "http://127.0.0.1:8080/".into(),
        time: Some("2026-11-22T04:59:13Z".into()),
        host: Some("bench-1".into()),
        commit: Some(commit.into()),
        dirty: Some(false),
        ..Side::default()
    }
}

fn row(metric: &str, kind: Kind, unit: &str, (before, after): (f64, f64), verdict: Verdict) -> Row {
    let figure = |value: f64| {
        Some(Figure { value, low: Some(value * 0.99), high: Some(value * 1.01), noise_floor: Some(value * 0.002) })
    };
    let counter = (kind == Kind::Weight).then(|| metric.to_owned());
    let ratio = after / before;
    Row {
        url: "http://127.0.0.1:8080/".into(),
        metric: if counter.is_some() { format!("weight.{metric} www-data php-fpm8.2") } else { metric.into() },
        kind,
        group: counter.is_some().then(|| "www-data php-fpm8.2".to_owned()),
        counter,
        state: None,
        arm: None,
        unit: unit.into(),
        approximate: false,
        headline: metric == "latency.p50",
        before: figure(before),
        after: figure(after),
        ratio: Some(Span { value: ratio, low: ratio - 0.012, high: ratio + 0.012 }),
        difference: Some(Span { value: after - before, low: (after - before) * 0.9, high: (after - before) * 1.1 }),
        floor: Some(0.008),
        margin: Some(0.1),
        between_runs: Some(0.004),
        runs: 14,
        in_reference_units: kind == Kind::Weight,
        adjusted_p: 0.0002,
        verdict,
        unjudged: (verdict == Verdict::Unclear).then_some(WhyUnjudged::Varies),
    }
}

pub(crate) fn comparison() -> Comparison {
    let finding = |rule: &str, verdict| FindingChange {
        url: "http://127.0.0.1:8080/".into(),
        rule: rule.into(),
        group: "www-data php-fpm8.2".into(),
        state: "warm".into(),
        summary: "1,104 file checks per request".into(),
        counted: "checks".into(),
        unit: "1".into(),
        before: Some(Figure { value: 1_104.0, low: None, high: None, noise_floor: None }),
        after: None,
        verdict,
        why: (verdict == FindingVerdict::NotLookedFor).then(|| "the later run did not trace".to_owned()),
    };
    let ratio = |value| Span { value, low: value - 0.004, high: value + 0.004 };
    let rows = vec![
        row("latency.p50", Kind::Latency, "ns", (26.2e6, 22.7e6), Verdict::Faster),
        row("cpu", Kind::Weight, "ns", (22.2e6, 18.9e6), Verdict::Lighter),
        row("read_bytes", Kind::Weight, "B", (1e6, 1.4e6), Verdict::Heavier),
        row("minor_faults", Kind::Weight, "1", (12.4, 12.5), Verdict::NoMeasurableDifference),
        row("latency.p99", Kind::Latency, "ns", (40.6e6, 44e6), Verdict::Unclear),
        row("within.50ms", Kind::Within, "1", (0.95, 0.99), Verdict::Faster),
    ];
    let not_judged: Vec<Unjudged> = rows.iter().filter_map(Unjudged::of).collect();
    Comparison {
        schema: "unladen.compare/1",
        before: side("12", "9f2c1e7a5b3d4f60718293a4b5c6d7e8f9012345"),
        after: side("15", "0011223344556677889900112233445566778899"),
        comparable: Comparable::AcrossMachines(vec!["the CPU is another model".into()]),
        speed: Some(Speed {
            kinds: vec![unladen_compare::ReferenceRatio { name: "arithmetic".into(), ratio: ratio(1.02) }],
            ratio: Some(ratio(1.02)),
            disagreement: None,
        }),
        history: Past { runs: 14, of_this_machine: 14 },
        judged: rows.len() - not_judged.len(),
        not_judged,
        rows,
        findings: vec![
            finding("stat-storm", FindingVerdict::Gone),
            finding("recompile", FindingVerdict::NotLookedFor),
            finding("log-chatter", FindingVerdict::New),
        ],
        warnings: vec!["the runs are of different lengths.".into()],
    }
}

#[test]
fn a_comparison_reads_like_this() {
    insta::assert_snapshot!(words(&comparison_page(&comparison(), &PageOptions::default())));
}

#[test]
fn runs_that_do_not_compare_say_why() {
    let none = Comparison {
        comparable: Comparable::No(vec!["one is a load".into()]),
        rows: Vec::new(),
        findings: Vec::new(),
        ..comparison()
    };
    let words = words(&comparison_page(&none, &PageOptions::default()));
    assert!(words.contains("The two are not comparable: one is a load."), "{words}");
}

fn trend() -> Trend {
    let label = |index: usize| RunLabel {
        id: Some((index + 1).to_string()),
        time: Some(format!("2026-11-{:02}T04:59:13Z", index + 1)),
        host: Some("bench-1".into()),
        commit: Some(format!("{:040x}", (index as u128 * 7919 + 12_345) << 108)),
        dirty: Some(index == 3),
    };
    let point = |run: usize| {
        let value = if run < 12 { 22.2e6 } else { 18.9e6 } * (1.0 + (run * 7 % 5) as f64 * 0.004);
        SeriesPoint { run, value, low: value * 0.985, high: value * 1.015 }
    };
    let change = ChangePoint {
        last_before: 11,
        first_after: 12,
        earliest: 10,
        latest: 13,
        change: Span { value: 0.852, low: 0.841, high: 0.863 },
        p: 0.0004,
        verdict: Verdict::Lighter,
    };
    let series = |metric: &str, headline: bool, changes: Vec<ChangePoint>| Series {
        url: "http://127.0.0.1:8080/".into(),
        metric: metric.into(),
        kind: Kind::Weight,
        group: None,
        counter: Some("cpu".into()),
        state: None,
        arm: None,
        unit: "ns".into(),
        headline,
        in_reference_units: true,
        between_runs: 0.004,
        is_ratio: true,
        points: (0..20).map(point).collect(),
        changes,
    };
    Trend {
        schema: "unladen.trend/1",
        verb: "weigh".into(),
        target: "http://127.0.0.1:8080/".into(),
        runs: (0..20).map(label).collect(),
        series: vec![
            series("weight.cpu", true, vec![change]),
            series("weight.cpu www-data nginx", false, Vec::new()),
            series("weight.cpu www-data php-fpm8.2", false, Vec::new()),
        ],
        warnings: Vec::new(),
    }
}

#[test]
fn a_trend_reads_like_this() {
    insta::assert_snapshot!(words(&trend_page(&trend(), &PageOptions::default())));
}

fn runs() -> RunsPage {
    let row = |id: u64| RunRow {
        id,
        verb: "weigh".into(),
        target: "http://127.0.0.1:8080/index.php?title=a&b".into(),
        time: "2026-11-23T04:59:13Z".into(),
        host: "bench-1".into(),
        commit: "9f2c1e7a5b3d4f60718293a4b5c6d7e8f9012345".into(),
        labels: vec![("release".into(), "1.43".into())],
        version: "0.1.0".into(),
        ended: if id == 2 { "interrupted".into() } else { "complete".into() },
    };
    RunsPage {
        rows: vec![row(3), row(2)],
        filter: RunsFilter { verb: "weigh".into(), host: "bench-1".into(), ..RunsFilter::default() },
        prev: None,
        next: Some("/?before=2".into()),
        nav: vec![("/".into(), "Runs".into())],
    }
}

#[test]
fn a_list_of_runs_reads_like_this() {
    let page = runs_page(&runs());
    insta::assert_snapshot!(words(&page));
    assert!(page.contains("<option selected>weigh</option>"));
    assert!(
        page.contains(
            "href=\"/trend?verb=weigh&amp;target=http%3A%2F%2F127.0.0.1%3A8080%2Findex.php%3Ftitle%3Da%26b\""
        )
    );
    let nothing = RunsPage { rows: Vec::new(), ..runs() };
    assert!(words(&runs_page(&nothing)).contains("No run matches this filter."));
    assert!(words(&runs_page(&RunsPage::default())).contains("There is no run yet."));
}

/// A run of another thing does not compare.
#[test]
fn the_newest_run_is_compared_with_the_one_before_of_the_same_thing() {
    let mut page = runs();
    page.rows.insert(1, RunRow { id: 9, verb: "load".into(), ..page.rows[0].clone() });
    let html = runs_page(&page);
    let (before, after) = html.split_once("name=\"after\"").unwrap();
    assert!(before.contains("<option value=\"2\" selected>") && !before.contains("<option value=\"9\" selected>"));
    assert!(after.contains("<option value=\"3\" selected>"));
}

/// A URL of 4,000 letters filled the page, and with it the other runs were out of sight.
#[test]
fn a_long_target_leaves_room_for_other_runs() {
    let mut page = runs();
    page.rows[0].target = format!("http://a/{}", "z".repeat(4_000));
    page.rows[0].labels = vec![("why".into(), "w".repeat(250))];
    let html = runs_page(&page);
    assert!(!words(&html).contains(&"z".repeat(200)) && !words(&html).contains(&"w".repeat(100)));
    // Addresses were cut as texts are: the link led to the trend of another target.
    assert!(html.contains(&format!("target=http%3A%2F%2Fa%2F{}\"", "z".repeat(4_000))), "the trend is of all of it");
    page.rows[0].target = format!("http://a/{}", "z".repeat(16_000));
    let html = runs_page(&page);
    assert!(!html.contains(&"z".repeat(200)), "no link leads where no request is answered");
}

/// Of fewer runs than are needed to look, it was said that nothing had changed.
#[test]
fn too_few_runs_are_no_trend_without_a_change() {
    let mut few = trend();
    few.runs.truncate(4);
    for series in &mut few.series {
        series.points.truncate(4);
        series.changes.clear();
    }
    let site = PageOptions { links_runs: true, ..PageOptions::default() };
    let page = trend_page(&few, &site);
    let said = words(&page);
    assert!(said.contains("Too few runs to know whether anything changed: 4 runs."), "{said}");
    assert!(!said.contains("No measurable change"), "{said}");
    assert!(page.contains("href=\"/run/"), "a site's trend leads to its runs");
    assert!(!trend_page(&few, &PageOptions::default()).contains("href=\"/run/"), "a file's leads nowhere");
}

#[test]
fn an_error_says_what_happened() {
    let page =
        error_page("There is no run 99", "The store has 12 runs: look at the list.", &[("/".into(), "Runs".into())]);
    assert!(words(&page).contains("The store has 12 runs: look at the list."));
}

/// A site's links are the site's; a file has none.
#[test]
fn the_report_of_a_site_leads_back_to_it() {
    let options = PageOptions { nav: vec![("/".into(), "Runs".into())], ..PageOptions::default() };
    let page = document_page(&Document::read(WEIGH.as_bytes()).unwrap(), &options);
    assert!(page.contains("<a href=\"/\">Runs</a>"));
    assert!(!page_of(WEIGH).contains("aria-label=\"Site\""));
}

/// A picture can be of whatever a file holds: as an image it runs nothing.
#[test]
fn a_flame_graph_is_an_image() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_owned();
    let pictures = vec![RunPicture { title: "Where the time goes".into(), svg }];
    let page = document_page(
        &Document::read(PROFILE.as_bytes()).unwrap(),
        &PageOptions { pictures, ..PageOptions::default() },
    );
    assert!(words(&page).contains("Where the time goes"));
    assert!(page.contains("src=\"data:image/svg+xml;base64,PHN2Zy"));
    assert!(!page.contains("alert(1)"));
}

/// Long texts are cut, and a picture was one of them: no browser showed a flame graph.
#[test]
fn a_large_picture_was_cut_as_a_text() {
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><!--{}--></svg>", "x".repeat(300_000));
    let pictures = vec![RunPicture { title: "Flame graph".into(), svg: svg.clone() }];
    let options = PageOptions { pictures, ..PageOptions::default() };
    let page = document_page(&Document::read(PROFILE.as_bytes()).unwrap(), &options);
    assert!(page.contains(&format!("base64,{}\"", crate::page::policy::base64(&svg))));
}

/// What a document of a later version leaves out is left out.
#[test]
fn an_empty_document_makes_a_page() {
    for verb in ["weigh", "load", "prove", "profile", "profile-diff", "classmap-check"] {
        let page = page_of(&format!("{{\"schema\": \"unladen.{verb}/1\"}}"));
        let words = words(&page);
        assert!(!words.contains("NaN") && !words.contains("inf"), "{words}");
    }
}

/// The largest page that is promised: under 1 MB.
#[test]
fn a_page_of_a_hundred_groups_and_thirty_findings_is_under_a_megabyte() {
    let mut document: Value = serde_json::from_str(WEIGH).unwrap();
    let counters = [
        "cpu",
        "cpu_user",
        "cpu_system",
        "voluntary_switches",
        "involuntary_switches",
        "minor_faults",
        "major_faults",
        "read_calls",
        "write_calls",
        "read_bytes",
        "write_bytes",
        "disk_read_bytes",
        "disk_write_bytes",
    ];
    let weights = (0..100).flat_map(|group| {
        counters.map(|counter| {
            json!({
                "url": "http://127.0.0.1:8080/index.php/Main_Page", "group": format!("system.slice/application-{group}.service php-fpm8.2"),
                "counter": counter, "unit": "ns", "per_request": 17_918_223.0 / f64::from(group + 1), "low": 17_704_223.0 / f64::from(group + 1),
                "high": 18_132_223.0 / f64::from(group + 1), "noise_floor": 21_400.0, "follows": group < 60, "share": { "value": 0.01, "low": 0.009, "high": 0.011 },
            })
        })
    });
    document["weights"] = weights.collect();
    let finding = document["findings"][0].clone();
    let findings = (0..30).map(|index| {
        let mut finding = finding.clone();
        finding["rule"] = format!("rule-{index}").into();
        finding["fix"]["lines"] =
            (0..40).map(|line| Value::from(format!("opcache.setting_{index}_{line} = 1"))).collect();
        let items = (0..200)
            .map(|item| json!({ "name": format!("/srv/wiki/includes/libs/part-{item}/File.php"), "per_request": 3.0 }));
        finding["evidence"]["items"] = items.collect();
        finding
    });
    document["findings"] = findings.collect();
    let page = page_of(&document.to_string());
    let words = words(&page);
    assert!(words.contains("system.slice/application-59.service") && words.contains("rule-29"), "it has all of them");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

/// Names, paths, SQL and header values come from whoever sends requests.
fn replace_texts(value: &mut Value, with: &str) {
    match value {
        Value::String(text) => *text = with.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_texts(item, with)),
        Value::Object(fields) => {
            // What the page reads, it reads; what it shows is anything.
            let read = ["schema", "ended", "verdict", "unit", "url", "state", "roles", "metric", "counter"];
            for (_, value) in fields.iter_mut().filter(|(name, _)| !read.contains(&name.as_str())) {
                replace_texts(value, with);
            }
        }
        _ => {}
    }
}

const HOSTILE: [&str; 8] = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}</style>",
    "<!--<svg><![CDATA[</title></textarea></pre>",
    "javascript:alert(1)",
    "\u{202e}gpj.exe\u{2066}\u{feff}\u{0}\u{1b}[31m\u{ffff}",
    "{{ 7 * 7 }}{% include \"/etc/passwd\" %}&lt;&#60;",
];

#[test]
fn hostile_names_are_inert() {
    let page = |text: &str, name: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        replace_texts(&mut value, name);
        page_of(&value.to_string())
    };
    for text in ALL {
        let harmless = read(&page(text, "harmless"));
        for hostile in HOSTILE {
            let page = page(text, hostile);
            let read = read(&page);
            read.is_sound();
            assert_eq!(read.elements, harmless.elements, "{hostile}");
            assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "{hostile}");
        }
    }
}

#[test]
fn hostile_filters_are_inert() {
    for hostile in HOSTILE {
        let own = || hostile.to_owned();
        let row = RunRow {
            id: 1,
            verb: own(),
            target: own(),
            time: own(),
            host: own(),
            commit: own(),
            labels: vec![(own(), own())],
            version: own(),
            ended: own(),
        };
        let filter = RunsFilter {
            verb: own(),
            target: own(),
            host: own(),
            commit: own(),
            label: own(),
            since: own(),
            until: own(),
        };
        let page = runs_page(&RunsPage {
            rows: vec![row.clone(), row],
            filter,
            next: Some(own()),
            prev: Some(own()),
            nav: Vec::new(),
        });
        read(&page).is_sound();
        read(&error_page(hostile, hostile, &[])).is_sound();
    }
}

#[test]
fn a_name_of_a_megabyte_does_not_make_the_page_as_large() {
    let mut value: Value = serde_json::from_str(WEIGH).unwrap();
    value["findings"][0]["summary"] = "x<".repeat(1 << 19).into();
    let page = page_of(&value.to_string());
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(words(&page).contains("more characters)"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_name_is_inert(text in "[\\x00-\\x7f\u{80}-\u{a0}\u{2000}-\u{2070}<>&\"'/!-]{0,40}", which in 0_usize..ALL.len()) {
        let mut value: Value = serde_json::from_str(ALL[which]).unwrap();
        replace_texts(&mut value, &text);
        read(&page_of(&value.to_string())).is_sound();
    }

    /// Numbers come from documents, too.
    #[test]
    fn any_number_makes_a_page(number in prop_oneof![Just(0.0), Just(-1.0), Just(1e300), Just(-1e300), -10.0_f64..10.0, 0.0_f64..1e12], which in 0_usize..ALL.len()) {
        fn replace(value: &mut Value, with: f64) {
            match value {
                // Whole numbers are counts or times.
                Value::Number(number) if number.is_f64() => *value = with.into(),
                Value::Number(_) if (0.0..1e15).contains(&with) => *value = (with as u64).into(),
                Value::Array(items) => items.iter_mut().for_each(|item| replace(item, with)),
                Value::Object(fields) => fields.values_mut().for_each(|item| replace(item, with)),
                _ => {}
            }
        }
        let mut value: Value = serde_json::from_str(ALL[which]).unwrap();
        replace(&mut value, number);
        // A number that no field of its kind holds is no document.
        if let Ok(document) = Document::read(value.to_string().as_bytes()) {
            let page = document_page(&document, &PageOptions::default());
            let read = read(&page);
            read.is_sound();
            let drawn = read.attributes.iter().filter(|(_, name, _)| ["d", "x", "y", "width", "height", "cx", "cy"].contains(&name.as_str()));
            for (element, name, value) in drawn {
                prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{element} {name} {value}");
            }
        }
    }
}

//! Every document that is written is read by `unladen-document`, keeps all of its fields, and makes the same tables.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use unladen_document::{About, Document};

use crate::format::{Report, write_kept};
use crate::formats::format_named;
use crate::inside::Inside;
use crate::profile::{ProfileDiff, Profiled};
use crate::style::Style;
use crate::tests::sample;
use crate::weigh::Weigh;

/// A part of a document that is not in it any more after it was read and written again; numbers are the same if their
/// values are.
fn lost(written: &Value, again: Option<&Value>, place: &str) -> Option<String> {
    match (written, again) {
        (_, None) => Some(format!("{place} is lost")),
        (Value::Object(fields), Some(Value::Object(kept))) => {
            fields.iter().find_map(|(name, value)| lost(value, kept.get(name), &format!("{place}.{name}")))
        }
        (Value::Array(values), Some(Value::Array(kept))) if values.len() == kept.len() => {
            let places = values.iter().zip(kept).enumerate();
            places.into_iter().find_map(|(index, (value, kept))| lost(value, Some(kept), &format!("{place}[{index}]")))
        }
        (Value::Number(number), Some(Value::Number(kept))) if number.as_f64() == kept.as_f64() => None,
        (written, Some(again)) => (written != again).then(|| format!("{place} was {written}, is {again}")),
    }
}

/// With everything that is said of a run; its seed stands in the documents themselves.
fn about() -> About {
    let text = r#"{"schema": "unladen.load/1", "version": "0.1.0", "time": "2026-11-23T05:00:00Z", "host": "web1",
        "command": ["unladen", "weigh"], "labels": {"release": "1.43"},
        "environment": {"kernel": "6.18", "cpu": "a", "processors": 2, "virtualisation": "kvm", "memory_bytes": 1,
            "load_1m": 0.5, "software": [{"name": "PHP", "version": "8.2"}]},
        "revision": {"folder": "/srv", "commit": "0a1b", "branch": "main", "dirty": true},
        "machine": {"stolen_share": 0.1, "throttled_ns": 1, "pressure_cpu_share": 0.2, "spoiled_blocks": 1, "blocks": 9,
            "reference": [{"name": "memory", "ns": 120.5, "low": 119.5, "high": 121.5}], "reference_cost_share": 0.01}}"#;
    Document::read(text.as_bytes()).unwrap().about().clone()
}

/// What is said of every run is added to a result.
fn weigh(mut result: Weigh) -> Weigh {
    result.run.about.complete(about());
    result
}

fn profiled(mut result: Profiled) -> Profiled {
    result.document.about = about();
    result.top = None;
    result
}

fn compared(mut result: ProfileDiff) -> ProfileDiff {
    result.document.about = about();
    result.top = None;
    result
}

/// Of each sample: its command, its JSON and its tables.
static ALL: LazyLock<Vec<(&'static str, Vec<u8>, String)>> = LazyLock::new(all);

fn all() -> Vec<(&'static str, Vec<u8>, String)> {
    let written = |report: Report<'_>, format: &str| {
        let mut out = Vec::new();
        format_named(format).unwrap().write(report, Style::plain(100), &mut out).unwrap();
        out
    };
    let of =
        |verb, report: Report<'_>| (verb, written(report, "json"), String::from_utf8(written(report, "text")).unwrap());
    let weighs = [
        sample::found_inside(),
        sample::one_page(),
        sample::two_pages(),
        sample::on_the_path(),
        sample::nothing_follows(),
        sample::over_hosts(),
    ];
    let mut all: Vec<_> = weighs.into_iter().map(|result| of("weigh", Report::Weigh(&weigh(result)))).collect();
    let pages: [Inside; 1] = [sample::inside()];
    all.push(of("weigh", Report::Inside(&pages, &about())));
    let mut overloaded = sample::overloaded();
    overloaded.capacity = sample::searched().capacity;
    for mut load in [overloaded, sample::steady(), sample::from_hosts(), sample::searched()] {
        load.about.complete(about());
        all.push(of("load", Report::Load(&load)));
    }
    for mut prove in [
        sample::class_map(),
        sample::class_map_from_hosts(),
        sample::five_patches(),
        sample::two_knobs(),
        sample::each_alone(),
    ] {
        prove.about.complete(about());
        all.push(of("prove", Report::Prove(&prove)));
    }
    all.push(of("profile", Report::Profile(&profiled(sample::profiled()))));
    all.push(of("profile", Report::Profile(&profiled(sample::from_file()))));
    all.push(of("profile-diff", Report::ProfileDiff(&compared(sample::profile_diff()))));
    all.push(of("profile-diff", Report::ProfileDiff(&compared(sample::diff_of_files()))));
    all
}

fn tables(document: &Document) -> String {
    let mut out = Vec::new();
    write_kept(document, format_named("text").unwrap(), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_document_is_read_back_whole() {
    for (verb, text, _) in ALL.iter() {
        let document = Document::read(text).unwrap_or_else(|error| panic!("{verb}: {error}"));
        assert_eq!(document.verb(), *verb);
        assert_eq!(document.about().host.as_deref(), Some("web1"));
        let (written, again) = (serde_json::from_slice(text).unwrap(), serde_json::to_value(&document).unwrap());
        assert_eq!(lost(&written, Some(&again), verb), None);
    }
}

/// A kept weighing had its findings twice.
#[test]
fn a_kept_document_is_written_again_as_it_was() {
    for (verb, text, _) in ALL.iter() {
        let mut out = Vec::new();
        let json = format_named("json").unwrap();
        write_kept(&Document::read(text).unwrap(), json, Style::plain(100), &mut out).unwrap();
        let [written, again]: [Value; 2] = [text, &out].map(|text| serde_json::from_slice(text).unwrap());
        assert_eq!(lost(&written, Some(&again), verb), None);
    }
}

/// The command that started processes anew may hold a secret, and is not kept.
fn without_restart(text: &str) -> String {
    let line = |line: &str| {
        let Some((before, _)) = line.split_once("each after `") else { return line.to_owned() };
        format!("{before}each after")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tables_are_those_that_the_command_printed() {
    for (verb, text, printed) in ALL.iter() {
        let kept = tables(&Document::read(text).unwrap());
        assert_eq!(without_restart(&kept), without_restart(printed), "{verb}");
    }
}

proptest! {
    /// Documents come from elsewhere, too: any field may lack, or be any number.
    #[test]
    fn any_document_makes_tables(which in 0_usize..20, field in 0_usize..400, number in prop_oneof![Just(0.0), Just(-1.0), Just(1e18), 0.0_f64..1e6]) {
        let mut document: Value = serde_json::from_slice(&ALL[which].1).unwrap();
        let mut count = field;
        change(&mut document, &mut count, number);
        if let Ok(document) = Document::read(document.to_string().as_bytes()) {
            tables(&document);
        }
    }
}

/// Puts another number in the place of the n-th.
fn change(value: &mut Value, count: &mut usize, number: f64) {
    match value {
        Value::Number(_) => {
            if *count == 0 {
                *value = if number.fract() == 0.0 { (number as i64).into() } else { number.into() };
            }
            *count = count.wrapping_sub(1);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| change(value, count, number)),
        Value::Object(fields) => fields.values_mut().for_each(|value| change(value, count, number)),
        _ => {}
    }
}

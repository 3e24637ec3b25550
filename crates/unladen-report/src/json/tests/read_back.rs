//! Every document that is written is read by `unladen-document`, and keeps all of its fields.

use serde_json::Value;
use unladen_document::{About, Document};

use super::super::Json;
use crate::format::Format;
use crate::inside::Inside;
use crate::load::Load;
use crate::style::Style;
use crate::tests::sample;

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

#[test]
fn every_document_is_read_back_whole() {
    let (about, style) = (about(), Style::plain(100));
    let json = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        out
    };
    let load = Load { capacity: sample::searched().capacity, ..sample::overloaded() };
    let pages: [Inside; 1] = [sample::inside()];
    let written = [
        ("weigh", json(&|out| Json.weigh(&sample::found_inside(), &about, style, out))),
        ("weigh", json(&|out| Json.weigh(&sample::two_pages(), &about, style, out))),
        ("weigh", json(&|out| Json.weigh(&sample::on_the_path(), &about, style, out))),
        ("weigh", json(&|out| Json.weigh(&sample::nothing_follows(), &about, style, out))),
        ("weigh", json(&|out| Json.inside(&pages, &about, style, out))),
        ("load", json(&|out| Json.load(&load, &about, style, out))),
        ("load", json(&|out| Json.load(&sample::steady(), &about, style, out))),
        ("load", json(&|out| Json.load(&sample::from_hosts(), &about, style, out))),
        ("prove", json(&|out| Json.prove(&sample::class_map(), &about, style, out))),
        ("prove", json(&|out| Json.prove(&sample::five_patches(), &about, style, out))),
        ("prove", json(&|out| Json.prove(&sample::two_knobs(), &about, style, out))),
        ("profile", json(&|out| Json.profile(&sample::profiled(), &about, style, out))),
        ("profile", json(&|out| Json.profile(&sample::from_file(), &about, style, out))),
        ("profile-diff", json(&|out| Json.profile_diff(&sample::profile_diff(), &about, style, out))),
        ("profile-diff", json(&|out| Json.profile_diff(&sample::diff_of_files(), &about, style, out))),
    ];
    for (verb, text) in written {
        let document = Document::read(&text).unwrap_or_else(|error| panic!("{verb}: {error}"));
        assert_eq!(document.verb(), verb);
        assert_eq!(document.about().host.as_deref(), Some("web1"));
        let (written, again) = (serde_json::from_slice(&text).unwrap(), serde_json::to_value(&document).unwrap());
        assert_eq!(lost(&written, Some(&again), verb), None);
    }
}

use serde_json::Value;

use super::*;
use crate::frame::Frame;
use crate::profile::{About, Unit};

fn written(about: About) -> Value {
    let mut profile = Profile::new(about);
    let mut frames = vec![profile.frames.intern(Frame { line: 3, ..Frame::function("f") })];
    for (kind, _) in CATEGORIES {
        for file in ["", "a", "b"] {
            frames.push(profile.frames.intern(Frame { name: kind.into_str(), file, line: 0, kind }));
        }
    }
    for request in 1..=3 {
        let cluster = profile.begin_request();
        let stack = profile.stacks.intern(frames[..request * 3].iter().copied());
        profile.add(cluster, stack, request as u64);
        profile.add(cluster, profile.stacks.root(), 1);
    }
    let mut bytes = Vec::new();
    Firefox.write(&profile, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// All tables, by their paths.
fn tables<'a>(path: &str, value: &'a Value, into: &mut Vec<(String, &'a serde_json::Map<String, Value>)>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        if let Some(table) = value.as_object().filter(|table| table.contains_key("length")) {
            into.push((path, table));
        } else if let Some(list) = value.as_array() {
            list.iter().for_each(|value| tables(&path, value, into));
        } else {
            tables(&path, value, into);
        }
    }
}

#[test]
fn each_column_is_as_long_as_its_table() {
    let file = written(About { are_requests: true, ..About::default() });
    let mut found = Vec::new();
    tables("", &file, &mut found);
    for (path, table) in &found {
        for (name, column) in table.iter().filter(|(_, column)| column.is_array()) {
            assert_eq!(column.as_array().unwrap().len() as u64, table["length"], "{path}.{name}");
        }
    }
    let lengths: Vec<_> =
        found.iter().map(|(path, table)| (path.as_str(), table["length"].as_u64().unwrap())).collect();
    let expected = [
        (".shared.frameTable", 19),
        (".shared.funcTable", 19),
        (".shared.nativeSymbols", 0),
        (".shared.resourceTable", 2),
        (".shared.sources", 2),
        (".shared.stackTable", 9),
        (".threads.markers", 3),
        (".threads.samples", 6),
    ];
    assert_eq!(lengths, expected);
}

#[test]
fn samples_stand_where_their_weights_have_led() {
    for (unit, period_ns, times, interval) in [
        (Unit::Samples, Some(250_000), [0.0, 0.25, 0.5, 1.0, 1.25, 2.0], 0.25),
        (Unit::Samples, None, [0.0, 1.0, 2.0, 4.0, 5.0, 8.0], 1.0),
        (Unit::Nanoseconds, None, [0.0, 1e-6, 2e-6, 4e-6, 5e-6, 8e-6], 1.0),
        (Unit::Bytes, None, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1.0),
    ] {
        let file = written(About { unit, period_ns, are_requests: true, ..About::default() });
        let thread = &file["threads"][0];
        let column =
            |value: &Value| value.as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect::<Vec<_>>();
        assert_eq!(column(&thread["samples"]["time"]), times);
        assert_eq!(file["meta"]["interval"], interval);
        assert_eq!(column(&thread["markers"]["startTime"]), [times[0], times[2], times[4]]);
        assert_eq!(column(&thread["markers"]["endTime"])[..2], [times[2], times[4]]);
        assert!(thread["samples"]["stack"][1].is_null());
    }
}

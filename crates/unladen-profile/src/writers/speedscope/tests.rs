use serde_json::{Value, json};

use super::*;
use crate::frame::Frame;
use crate::profile::About;

/// Of so many requests, each with `main` and, in the second half, `find` on it.
fn written(about: About, requests: usize) -> Value {
    let mut profile = Profile::new(about);
    let main = profile.frames.intern(Frame::function("main"));
    let find = profile.frames.intern(Frame { file: "a\"\\\u{1}\n.php", line: 12, ..Frame::function("find") });
    let (below, above) = (profile.stacks.intern([main]), profile.stacks.intern([main, find]));
    for request in 0..requests {
        let cluster = profile.begin_request();
        profile.add(cluster, below, 2);
        profile.add(cluster, if request < requests / 2 { below } else { above }, 3);
    }
    let mut bytes = Vec::new();
    Speedscope.write(&profile, &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn part(name: &str, unit: &str, samples: Value, weights: Value, end: u64) -> Value {
    json!({ "type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": end, "samples": samples, "weights": weights })
}

#[test]
fn all_requests_stand_before_each() {
    let about = About {
        title: "t".into(),
        profiler: "excimer".into(),
        period_ns: Some(1000),
        are_requests: true,
        ..About::default()
    };
    let expected = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": concat!("unladen@", env!("CARGO_PKG_VERSION"), ", of excimer"),
        "name": "t",
        "activeProfileIndex": 0,
        "shared": { "frames": [{ "name": "main" }, { "name": "find", "file": "a\"\\\u{1}\n.php", "line": 12 }] },
        "profiles": [
            part("2 requests", "nanoseconds", json!([[0], [0, 1]]), json!([7000, 3000]), 10_000),
            part("request 1", "nanoseconds", json!([[0], [0]]), json!([2000, 3000]), 5000),
            part("request 2", "nanoseconds", json!([[0], [0, 1]]), json!([2000, 3000]), 5000),
        ],
    });
    assert_eq!(written(about, 2), expected);
}

#[test]
fn requests_are_told_apart_where_somebody_can_look_through_them() {
    let names = |about: About, requests| {
        let file = written(about, requests);
        let names = file["profiles"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let requests = || About { are_requests: true, ..About::default() };
    assert_eq!(names(requests(), 0), ["0 requests"]);
    assert_eq!(names(requests(), 1), ["request 1"]);
    assert_eq!(names(requests(), 50).len(), 51);
    assert_eq!(names(requests(), 51), ["51 requests"]);
    assert_eq!(names(About::default(), 2), ["all"]);
    assert_eq!(names(About { requests: Some(7), ..About::default() }, 2), ["7 requests"]);
}

#[test]
fn weights_that_are_too_large_are_the_largest() {
    let about = About { period_ns: Some(u64::MAX), ..About::default() };
    assert_eq!(written(about, 1)["profiles"][0]["endValue"], u64::MAX);
}

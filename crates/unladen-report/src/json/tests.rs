mod read_back;

use super::*;
use crate::profile::{ProfileDiff, Profiled};
use crate::tests::sample;
use unladen_document::LoadDocument;

fn written(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn schema(text: &str) -> String {
    let parsed: serde_json::Value = serde_json::from_str(text).unwrap();
    parsed["schema"].as_str().unwrap().to_owned()
}

#[test]
fn the_document_looks_like_this() {
    let text = written(|out| Json.write(Report::Weigh(&sample::one_page()), Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.weigh/1");
    insta::assert_snapshot!(text);
}

#[test]
fn findings_look_like_this() {
    insta::assert_snapshot!(written(|out| Json.write(
        Report::Inside(&[sample::inside()], &About::default()),
        Style::plain(100),
        out
    )));
}

#[test]
fn a_load_looks_like_this() {
    let mut load = sample::overloaded();
    (load.capacity, load.timeline, load.distribution) = (sample::searched().capacity, Vec::new(), Vec::new());
    load.distribution = vec![(26_200_000, 0.5), (107_420_000, 1.0)];
    load.timeline = sample::steady().timeline;
    load.timeline.truncate(1);
    let text = written(|out| Json.write(Report::Load(&load), Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.load/1");
    insta::assert_snapshot!(text);
}

#[test]
fn a_proof_looks_like_this() {
    let mut proof = sample::class_map();
    for arm in &mut proof.arms {
        arm.distribution.truncate(1);
    }
    proof.interactions = sample::five_patches().interactions;
    let text = written(|out| Json.write(Report::Prove(&proof), Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.prove/1");
    insta::assert_snapshot!(text);
}

/// Names of the fields of a document; of objects whose names are data, none.
fn fields(value: &serde_json::Value, names: &mut Vec<String>) {
    const OF_DATA: [&str; 4] = ["within", "errors", "error_examples", "statuses"];
    match value {
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                names.push(name.clone());
                if !OF_DATA.contains(&name.as_str()) {
                    fields(value, names);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| fields(value, names)),
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let plain = Style::plain(100);
    let load = LoadDocument { capacity: sample::searched().capacity, ..sample::overloaded() };
    for text in [
        written(|out| Json.write(Report::Weigh(&sample::found_inside()), plain, out)),
        written(|out| Json.write(Report::Inside(&[sample::inside()], &About::default()), plain, out)),
        written(|out| Json.write(Report::Load(&load), plain, out)),
        written(|out| Json.write(Report::Prove(&sample::class_map()), plain, out)),
        written(|out| Json.write(Report::Prove(&sample::five_patches()), plain, out)),
    ] {
        let mut names = Vec::new();
        fields(&serde_json::from_str(&text).unwrap(), &mut names);
        let schema = unladen_document::Schema::named(&schema(&text)).unwrap();
        // Quantiles are in the description of the field that has them.
        let words: Vec<&str> = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
        for name in names {
            assert!(words.contains(&name.as_str()), "{name} is not in the schema of {}", schema.name);
        }
    }
}

#[test]
fn a_group_on_the_path_that_is_not_told_from_noise_is_in_the_document() {
    let text = written(|out| Json.write(Report::Weigh(&sample::on_the_path()), Style::plain(100), out));
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let weights = document["weights"].as_array().unwrap();
    let php = weights.iter().find(|weight| weight["group"] == "www-data php-fpm8.2" && weight["counter"] == "cpu");
    let php = php.unwrap();
    assert!(php["on_path"] == true && php["follows"] == false, "{php}");
    assert_eq!(document["urls"][0]["path"]["not_looked_at"][0]["peer"], "10.0.0.5:5432");
    let not_judged = document["not_judged"].as_array().unwrap();
    assert_eq!(not_judged.len(), 2);
    assert!(not_judged[0]["elsewhere"] == false && not_judged[1]["elsewhere"] == true);
}

/// A key that stands twice is read as either by different readers.
#[test]
fn what_is_said_of_every_run_stands_once_in_each_document() {
    let about = About {
        version: Some("0.1.0".into()),
        time: Some("2026-11-23T05:00:00Z".into()),
        host: Some("web1".into()),
        command: vec!["unladen".into(), "weigh".into()],
        labels: [("release".into(), "1.43".into())].into(),
        ..About::default()
    };
    let style = Style::plain(100);
    let (mut weigh, mut load, mut prove) = (sample::one_page(), sample::steady(), sample::class_map());
    for of in [&mut weigh.run.about, &mut load.about, &mut prove.about] {
        of.complete(about.clone());
    }
    let documents = [
        written(|out| Json.write(Report::Weigh(&weigh), style, out)),
        written(|out| Json.write(Report::Inside(&[sample::inside()], &about), style, out)),
        written(|out| Json.write(Report::Load(&load), style, out)),
        written(|out| Json.write(Report::Prove(&prove), style, out)),
    ];
    for text in documents {
        for key in ["schema", "version", "time", "host", "command", "labels", "seed", "target"] {
            let line = format!("\n  \"{key}\": ");
            assert!(text.matches(&line).count() <= 1, "{key} stands twice: {text}");
        }
        let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["host"], "web1");
        assert_eq!(parsed["labels"]["release"], "1.43");
        assert_eq!(parsed["command"][1], "weigh");
    }
}

fn profile(result: &Profiled) -> String {
    let mut out = Vec::new();
    Json.write(Report::Profile(result), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn diff(result: &ProfileDiff) -> String {
    let mut out = Vec::new();
    Json.write(Report::ProfileDiff(result), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_profile_looks_like_this() {
    let mut result = sample::profiled();
    result.document.functions.truncate(2);
    insta::assert_snapshot!(profile(&result));
}

#[test]
fn a_comparison_looks_like_this() {
    let mut result = sample::profile_diff();
    result.document.functions.truncate(2);
    insta::assert_snapshot!(diff(&result));
}

#[test]
fn without_intervals_their_ends_are_null() {
    let parsed: serde_json::Value = serde_json::from_str(&profile(&sample::from_file())).unwrap();
    assert_eq!(parsed["schema"], "unladen.profile/1");
    assert!(parsed["functions"][0]["self_share"]["low"].is_null() && parsed["requests"].is_null());
    let parsed: serde_json::Value = serde_json::from_str(&diff(&sample::diff_of_files())).unwrap();
    assert_eq!(parsed["schema"], "unladen.profile-diff/1");
    assert!(parsed["functions"][0]["total"]["difference"]["high"].is_null());
}

#[test]
fn every_field_of_a_profile_is_documented() {
    for (name, text) in [("profile", profile(&sample::profiled())), ("profile-diff", diff(&sample::profile_diff()))] {
        let schema = unladen_document::Schema::named(name).unwrap().json();
        let schema = format!("{schema:#}");
        let mut names = Vec::new();
        fields(&serde_json::from_str(&text).unwrap(), &mut names);
        for name in names {
            assert!(schema.contains(&format!("\"{name}\": {{")), "{name}");
        }
    }
}

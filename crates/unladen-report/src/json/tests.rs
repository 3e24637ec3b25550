use super::*;
use crate::sample;

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
    let text = written(|out| Json.weigh(&sample::one_page(), Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.weigh/1");
    insta::assert_snapshot!(text);
}

#[test]
fn a_load_looks_like_this() {
    let mut load = sample::overloaded();
    (load.capacity, load.timeline, load.distribution) = (sample::searched().capacity, Vec::new(), Vec::new());
    load.distribution = vec![(26_200_000, 0.5), (107_420_000, 1.0)];
    load.timeline = sample::steady().timeline;
    load.timeline.truncate(1);
    let text = written(|out| Json.load(&load, Style::plain(100), out));
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
    let text = written(|out| Json.prove(&proof, Style::plain(100), out));
    assert_eq!(schema(&text), "unladen.prove/1");
    insta::assert_snapshot!(text);
}

use proptest::prelude::*;

use super::*;
use crate::tests::testing::profiles;
use crate::writers::{self, Writer};

fn read(text: &str) -> Result<Profile, String> {
    Unladen.read(&mut Input::new(&mut text.as_bytes())).map_err(|error| error.to_string())
}

fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    writers::unladen::Unladen.write(profile, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A document with this in place of its lists.
fn document(frames: &str, stacks: &str, clusters: &str) -> String {
    format!(r#"{{"schema":"unladen.stacks/1","frames":[{frames}],"stacks":[{stacks}],"clusters":[{clusters}]}}"#)
}

#[test]
fn what_people_write_by_hand_is_read() {
    let text = document(r#"{"name":"a"}, {"kind":"kernel","name":"b"}"#, "[0, 0], [1, 1]", r#"{"weights":[2, 7]}, {}"#);
    let profile = read(&text).unwrap();
    assert_eq!((profile.clusters.len(), profile.total(), profile.stacks.len()), (2, 7, 3));
    assert_eq!(profile.about, crate::About::default());
    assert!(read(r#"{"schema":"unladen.stacks/1"}"#).unwrap().clusters.is_empty());
}

#[test]
fn faults_name_their_byte() {
    let a = r#"{"name":"a"}"#;
    for (text, fault) in [
        (
            r#"{"schema":"unladen.stacks/2"}"#.to_owned(),
            "byte 29: its schema is `unladen.stacks/2`, not `unladen.stacks/1`",
        ),
        ("{}".to_owned(), "byte 2: expected `schema` first"),
        (r#"{"schema":"unladen.stacks/1","frames":["#.to_owned(), "byte 39: EOF while parsing a list"),
        (
            r#"{"schema":"unladen.stacks/1","setup":{}}"#.to_owned(),
            "byte 37: unknown field `setup`, expected one of `schema`, `about`, `frames`, `stacks`, `clusters`",
        ),
        (document(&format!("{a},{a}"), "", ""), "byte 66: frame 1, `a`, is repeated"),
        (document(a, "[0,1]", ""), "byte 70: stack 1 refers to stack 0 of 1 and frame 1 of 1"),
        (document(a, "[1,0]", ""), "byte 70: stack 1 refers to stack 1 of 1 and frame 0 of 1"),
        (document(a, "[0,0],[0,0]", ""), "byte 76: stack 2 is repeated"),
        (document(a, "[0,0]", r#"{"weights":[2,1]}"#), "byte 97: stack 2 of 2"),
        (document(a, "[0,0]", r#"{"weights":[1]}"#), "byte 99: a stack without a weight"),
        (document(a, "[0,0]", r#"{"weights":[1,-1]}"#), "byte 102: invalid value: integer `-1`, expected u64"),
        (document(a, "[0,0]", r#"{"calls":[null,1,1]}"#), "byte 100: frame 1 of 1"),
        (document(a, "[0,0]", r#"{"calls":[null,0]}"#), "byte 102: calls are a caller, a callee and a number"),
        (document("", "", "") + "x", "byte 68: trailing characters"),
        (
            r#"{"schema":"unladen.stacks/1","stacks":[[0,0]]}"#.to_owned(),
            "byte 46: stack 1 refers to stack 0 of 1 and frame 0 of 0",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert_eq!(error, format!("unladen, {fault}"), "{text}");
    }
}

#[test]
fn stacks_too_deep_are_refused() {
    let pairs: Vec<String> = (0..=crate::readers::MAX_DEPTH).map(|below| format!("[{below},0]")).collect();
    let text = document(r#"{"name":"a"}"#, &pairs.join(","), "");
    assert!(read(&text).unwrap_err().ends_with("stack 100001 has more frames than any stack has"));
    let text = document(r#"{"name":"a"}"#, &pairs[..crate::readers::MAX_DEPTH].join(","), "");
    assert_eq!(read(&text).unwrap().stacks.len(), crate::readers::MAX_DEPTH + 1);
}

#[test]
fn only_our_own_are_recognised() {
    assert!(Unladen.recognises(b" {\n \"schema\" : \"unladen.stacks/1\""));
    assert!(Unladen.recognises(b"{\"schema\":\"unladen.stacks/2\""));
    for other in ["", "{", "{\"schema\":\"unladen.profile/1\"}", "{\"$schema\":\"unladen.stacks/1\"}", "[]"] {
        assert!(!Unladen.recognises(other.as_bytes()), "{other}");
    }
}

proptest! {
    #[test]
    fn nothing_is_lost(profile in profiles()) {
        let text = written(&profile);
        prop_assert!(Unladen.recognises(text.as_bytes()));
        let read = read(&text).unwrap();
        prop_assert_eq!(&read.about, &profile.about);
        prop_assert!(read.frames.iter().eq(profile.frames.iter()));
        let pairs = |profile: &Profile| -> Vec<_> {
            profile.stacks.iter().map(|stack| (profile.stacks.below(stack), profile.stacks.frame(stack))).collect()
        };
        prop_assert_eq!(pairs(&read), pairs(&profile));
        prop_assert_eq!(&read.clusters, &profile.clusters);
        prop_assert_eq!(written(&read), text);
    }

    #[test]
    fn what_is_cut_off_or_changed_is_refused_or_read(profile in profiles(), at: prop::sample::Index, byte: u8) {
        let text = written(&profile).into_bytes();
        let at = at.index(text.len() - 1);
        prop_assert!(Unladen.read(&mut Input::new(&mut &text[..at])).is_err());
        let mut changed = text;
        changed[at] = byte;
        let _ = Unladen.read(&mut Input::new(&mut changed.as_slice()));
    }
}

use proptest::prelude::*;

use super::*;

const LOG: &str = r#"{"excimer":1,"version":"1.0.4","php":"8.2.29","period_ns":500000,"clock":"wall","script":"/app/index.php","wrapper":"/w.php"}
{"frame":["/w.php","/w.php",0,"include"]}
{"stack":[0,0]}
{"sample":[1,1,500000]}
{"frame":["/app/index.php","/app/index.php",0,"include"]}
{"stack":[1,1]}
{"frame":["AutoLoader::autoload","/app/AutoLoader.php",30,"class-lookup"]}
{"stack":[2,2]}
{"sample":[3,2,1500000]}
{"sample":[0,1,1600000]}
{"end":{"frames":3,"stacks":3,"samples":3,"events":4}}
"#;

fn read(text: &str) -> Result<Profile, String> {
    Excimer.read(&mut Input::new(&mut text.as_bytes())).map_err(|error| error.to_string())
}

fn stacks(profile: &Profile, cluster: usize) -> Vec<(String, u64)> {
    let name = |id| profile.frames.get(id).name.to_owned();
    let joined = |stack| profile.stacks.outwards_in(stack).into_iter().map(name).collect::<Vec<_>>().join(";");
    profile.clusters[cluster].weights.iter().map(|(stack, weight)| (joined(*stack), *weight)).collect()
}

#[test]
fn a_log_is_a_request_without_the_frames_of_the_wrapper() {
    let profile = read(LOG).unwrap();
    assert!(Excimer.recognises(LOG.as_bytes()));
    assert_eq!(
        (profile.about.period_ns, profile.about.unit, profile.requests()),
        (Some(500_000), Unit::Samples, Some(1))
    );
    let expected = [("/app/index.php", 1), ("/app/index.php;AutoLoader::autoload", 2), ("", 1)];
    assert_eq!(stacks(&profile, 0), expected.map(|(stack, weight)| (stack.to_owned(), weight)));
    let kinds: Vec<_> = profile.frames.iter().map(|(_, frame)| (frame.kind, frame.line)).collect();
    assert_eq!(kinds, [(FrameKind::Include, 0), (FrameKind::ClassLookup, 30)]);
}

#[test]
fn several_logs_are_several_requests() {
    let profile = read(&format!("{LOG}\n{LOG}")).unwrap();
    assert_eq!((profile.clusters.len(), profile.total(), profile.frames.len()), (2, 8, 2));
    let other = LOG.replace("500000,\"clock", "1000000,\"clock");
    let error = read(&format!("{LOG}{other}")).unwrap_err();
    assert!(error.contains("line 12: expected the period"), "{error}");
}

#[test]
fn another_wrapper_may_be_left_out() {
    let mut profile = Profile::default();
    let cluster = profile.begin_request();
    ExcimerLog::add(&mut Input::new(&mut LOG.as_bytes()), Some("/app/AutoLoader.php"), &mut profile, cluster).unwrap();
    assert_eq!(stacks(&profile, 0)[1], ("/w.php;/app/index.php".to_owned(), 2));
    let twice = format!("{LOG}{LOG}");
    let error =
        ExcimerLog::add(&mut Input::new(&mut twice.as_bytes()), None, &mut profile, cluster).unwrap_err().to_string();
    assert!(error.contains("line 12: expected the end of the file"), "{error}");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let cases = [
        (
            LOG.replace("{\"stack\":[1,1]}", "{\"stack\":[7,1]}"),
            "line 6: expected a stack from an earlier line, found number 7",
        ),
        (
            LOG.replace("{\"stack\":[2,2]}", "{\"stack\":[2,9]}"),
            "line 8: expected a frame from an earlier line, found number 9",
        ),
        (LOG.replace("{\"sample\":[0,1,1600000]}\n", ""), "line 10: expected the end to count"),
        (LOG.replace("\"excimer\":1", "\"excimer\":2"), "line 1: expected version 1"),
        (LOG.replace("\"class-lookup\"", "\"other\""), "line 7: expected frame, stack, sample or end"),
        (LOG.replace("[3,2,", "[3,-2,"), "line 9: expected frame"),
        (String::new(), "line 1: expected a log, found nothing"),
        (format!("{}\n", "x".repeat(2 << 20)), "line 1: expected a line of less than 1048576 bytes"),
    ];
    for (text, expected) in cases {
        let error = read(&text).unwrap_err();
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
}

#[test]
fn a_log_that_is_cut_anywhere_is_refused() {
    for cut in 0..LOG.len() - 1 {
        let error = read(&LOG[..cut]).unwrap_err();
        assert!(error.starts_with("excimer, line "), "{cut}: {error}");
    }
}

#[test]
fn a_stack_that_is_too_deep_is_refused() {
    let mut text: String = LOG.lines().take(2).map(|line| format!("{line}\n")).collect();
    for below in 0..=MAX_DEPTH {
        text.push_str(&format!("{{\"stack\":[{below},0]}}\n"));
    }
    assert!(read(&text).unwrap_err().contains("found a deeper one"));
}

proptest! {
    #[test]
    fn no_change_of_a_byte_makes_it_panic(at in 0..LOG.len(), byte: u8) {
        let mut bytes = LOG.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = Excimer.read(&mut Input::new(&mut &bytes[..]));
    }
}

use super::*;
use crate::frame::Frame;
use crate::input::Input;
use crate::profile::About;
use crate::readers::ProfileReader;

#[test]
fn comments_are_read_again_and_those_of_others_are_not() {
    for (requests, are_labelled, profiler) in
        [(Some(120), true, "excimer"), (Some(1), false, ""), (None, false, "a; b")]
    {
        let comment = Comment { requests, are_labelled, profiler: profiler.to_owned() };
        assert_eq!(parse_comment(&comment.to_string()), Some(comment));
    }
    for other in ["", "unladen", "unladen 1", "go1.26", "Unladen 1; 2 requests; x"] {
        assert_eq!(parse_comment(other), None, "{other}");
    }
}

#[test]
fn weights_beyond_the_formats_are_the_largest_that_it_has() {
    let mut profile = Profile::new(About { unit: Unit::Bytes, ..About::default() });
    let main = profile.frames.intern(Frame::function("main"));
    let stack = profile.stacks.intern([main]);
    let cluster = profile.begin_request();
    profile.add(cluster, stack, u64::MAX);
    let mut bytes = Vec::new();
    Pprof.write(&profile, &mut bytes).unwrap();
    let read = crate::readers::pprof::Pprof.read(&mut Input::new(&mut &bytes[..])).unwrap();
    assert_eq!(read.total(), i64::MAX as u64);
}

#[test]
fn requests_without_samples_are_requests() {
    let mut profile = Profile::new(About { are_requests: true, ..About::default() });
    let main = profile.frames.intern(Frame::function("main"));
    let stack = profile.stacks.intern([main]);
    profile.begin_request();
    let cluster = profile.begin_request();
    profile.add(cluster, stack, 1);
    profile.begin_request();
    let mut bytes = Vec::new();
    Pprof.write(&profile, &mut bytes).unwrap();
    let read = crate::readers::pprof::Pprof.read(&mut Input::new(&mut &bytes[..])).unwrap();
    assert_eq!(read.clusters.iter().map(|cluster| cluster.total()).collect::<Vec<_>>(), [0, 1, 0]);
}

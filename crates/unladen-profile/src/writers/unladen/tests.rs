use super::*;
use crate::frame::Frame;
use crate::profile::{About, Unit};

#[test]
fn a_document_is_as_the_docs_say() {
    let mut profile = Profile::new(About {
        title: "a \"page\"".to_owned(),
        unit: Unit::Samples,
        period_ns: Some(1_000_000),
        are_requests: true,
        ..About::default()
    });
    let main =
        profile.frames.intern(Frame { file: "a.php", line: 3, kind: FrameKind::Include, ..Frame::function("a.php") });
    let find = profile.frames.intern(Frame::function("find"));
    let stack = profile.stacks.intern([main, find]);
    let cluster = profile.begin_request();
    profile.add(cluster, stack, 5);
    profile.add(cluster, profile.stacks.root(), 1);
    profile.add_calls(cluster, CallCount { caller: None, callee: main, calls: 1 });
    profile.add_calls(cluster, CallCount { caller: Some(main), callee: find, calls: 12 });
    profile.begin_request();
    let mut out = Vec::new();
    Unladen.write(&profile, &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        r#"{"schema":"unladen.stacks/1",
"about":{"title":"a \"page\"","profiler":"","unit":"samples","period_ns":1000000,"requests":null,"are_requests":true},
"frames":[
{"name":"a.php","file":"a.php","line":3,"kind":"include"},
{"name":"find"}],
"stacks":[
[0,0],
[1,1]],
"clusters":[
{"weights":[2,5,0,1],"calls":[null,0,1,0,1,12]},
{"weights":[]}]}
"#
    );
}

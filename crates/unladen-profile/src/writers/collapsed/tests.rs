use super::*;
use crate::frame::{Frame, FrameKind};
use crate::profile::About;

#[test]
fn lines_are_of_all_clusters_and_hold_no_more_than_one_stack() {
    let mut profile = Profile::new(About::default());
    let main = profile.frames.intern(Frame::function("a;b\nc"));
    let read = profile.frames.intern(Frame { kind: FrameKind::Kernel, ..Frame::function("do_sys read") });
    let none = profile.frames.intern(Frame::function(""));
    let stack = profile.stacks.intern([main, read]);
    let unknown = profile.stacks.intern([main, none]);
    for _ in 0..2 {
        let cluster = profile.begin_request();
        profile.add(cluster, stack, 5);
        profile.add(cluster, unknown, 1);
        profile.add(cluster, profile.stacks.root(), 2);
    }
    let mut out = Vec::new();
    Collapsed.write(&profile, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), " 4\na\\x3bb\\x0ac;do_sys read_[k] 10\na\\x3bb\\x0ac;[unknown] 2\n");
}

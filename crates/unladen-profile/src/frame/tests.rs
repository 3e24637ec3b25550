use super::*;

#[test]
fn a_function_is_one_frame_wherever_in_it_samples_were_taken() {
    let mut frames = Frames::default();
    let find = Frame { name: "find", file: "a.php", line: 0, kind: FrameKind::Function };
    let id = frames.intern(find);
    assert_eq!(frames.intern(Frame { line: 12, ..find }), id);
    assert_eq!(frames.get(id).line, 12);
    assert_ne!(frames.intern(Frame { file: "b.php", ..find }), id);
    assert_ne!(frames.intern(Frame { kind: FrameKind::Native, ..find }), id);
    assert_eq!(frames.len(), 3);
}

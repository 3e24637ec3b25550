use proptest::prelude::*;

use super::*;

fn written(name: &str, kind: FrameKind) -> String {
    let mut out = String::new();
    escape(Frame { kind, ..Frame::function(name) }, &mut out);
    out
}

#[test]
fn names_are_escaped_only_where_they_must() {
    for (name, text) in [
        ("N\\A::b", "N\\A::b"),
        ("a;b", "a\\x3bb"),
        ("a\r\nb", "a\\x0d\\x0ab"),
        ("a\\x3bb", "a\\x5cx3bb"),
        ("N\\x41", "N\\x41"),
        ("", "[unknown]"),
        ("f_[k]", "f_[k\\x5d"),
        ("f_[i]", "f_[i\\x5d"),
        ("f_[j]", "f_[j]"),
        ("f[k]", "f[k]"),
        ("f (a.py:3)", "f (a.py:3\\x29"),
        ("f (int)", "f (int)"),
        ("pool 2", "pool\\x202"),
        ("2 pools", "2 pools"),
    ] {
        assert_eq!(written(name, FrameKind::Function), text);
    }
    assert_eq!(written("read", FrameKind::Kernel), "read_[k]");
    assert_eq!(written("read_[i]", FrameKind::Native), "read_[i]");
    assert_eq!(written("read", FrameKind::Native), "read");
}

#[test]
fn what_perf_collapse_marks_has_a_kind() {
    assert_eq!(unescape("read_[k]"), (Cow::Borrowed("read"), FrameKind::Kernel));
    assert_eq!(unescape("memcpy_[i]"), (Cow::Borrowed("memcpy_[i]"), FrameKind::Native));
    assert_eq!(unescape("LFoo;_[j]"), (Cow::Borrowed("LFoo;_[j]"), FrameKind::Function));
    assert_eq!(unescape("_[k]"), (Cow::Borrowed("_[k]"), FrameKind::Function));
}

#[test]
fn py_spy_has_a_place_in_brackets() {
    assert_eq!(place("main (app.py:12)"), Some(("main", "app.py", 12)));
    assert_eq!(place("f (x) (<frozen site>:9)"), Some(("f (x)", "<frozen site>", 9)));
    let others = [
        "main",
        "f (int)",
        "f(a.py:1)",
        "f (a.py:)",
        "f (:1)",
        " (a.py:1)",
        "f (a:+1)",
        "f (a:99999999999)",
        "f (a:1) ",
    ];
    for other in others {
        assert_eq!(place(other), None, "{other}");
    }
}

proptest! {
    #[test]
    fn a_name_comes_back(name in "[;\\\\x3b50ad\n\r_\\[\\]kij ]{1,12}|[ab]{0,2} \\([ab;]{0,2}:[0-9]{0,2}\\)|.{1,8}", is_kernel: bool) {
        let kind = if is_kernel { FrameKind::Kernel } else { FrameKind::Function };
        let text = written(&name, kind);
        prop_assert!(!text.contains([';', '\n', '\r']));
        prop_assert_eq!(place(&text), None);
        prop_assert_eq!(unescape(&text), (Cow::Borrowed(name.as_str()), kind));
    }

    #[test]
    fn any_text_is_a_name(text in ".{0,20}|[\\\\x35bd]{0,12}") {
        let (name, kind) = unescape(&text);
        let name = name.into_owned();
        if !name.is_empty() {
            let again = written(&name, kind);
            prop_assert_eq!(unescape(&again), (Cow::Borrowed(name.as_str()), kind));
        }
    }
}

use proptest::prelude::*;

use super::*;

#[test]
fn a_path_stands_after_its_prefix() {
    assert_eq!(path_in(b"gitdir: ../.git/modules/x\n", b"gitdir: "), Some(Path::new("../.git/modules/x")));
    assert_eq!(path_in(b"../..", b""), Some(Path::new("../..")));
    for bad in [&b"gitdir: \n"[..], b"", b"gitdir /x", b"gitdir: a\nb\n", b"gitdir: a\0b"] {
        assert_eq!(path_in(bad, b"gitdir: "), None);
    }
}

proptest! {
    #[test]
    fn paths_are_read_back(path in "[^\0\n]{1,60}") {
        let content = format!("gitdir: {path}\n");
        prop_assert_eq!(path_in(content.as_bytes(), b"gitdir: "), Some(Path::new(&path)));
    }

    #[test]
    fn no_bytes_make_it_panic(content: Vec<u8>, prefix in prop::sample::select(vec![&b""[..], b"gitdir: "])) {
        let _ = path_in(&content, prefix);
    }
}

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

const ID: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn a_reference_is_an_id_or_another_ones_name() {
    assert_eq!(parse(&format!("{ID}\n")), Some(Reference::Commit(ID.into())));
    assert_eq!(parse(&"a".repeat(64)), Some(Reference::Commit("a".repeat(64))), "SHA-256");
    assert_eq!(parse("ref: refs/heads/a/b\n"), Some(Reference::Name("refs/heads/a/b".into())));
    for bad in ["", "ref: ", "ref: HEAD", "0123", &ID.to_uppercase(), "ref: refs/heads/a\u{1b}[2J"] {
        assert_eq!(parse(bad), None, "{bad:?}");
    }
}

/// The name of a reference is a part of a path, and who makes a repository writes it.
#[test]
fn a_name_does_not_lead_out_of_the_repository() {
    for bad in ["refs/../../../etc/passwd", "/etc/passwd", "refs//x", "refs/heads/../x", "refs/heads/x.lock", "heads/x"]
    {
        assert!(!is_name(bad), "{bad}");
    }
}

#[test]
fn a_line_without_an_end_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed-refs");
    let long = "x".repeat(3 * LONGEST_REFERENCE as usize);
    std::fs::write(&path, format!("# pack-refs with: peeled\n{long}\n{ID} refs/heads/main\n^{ID}\n")).unwrap();
    assert_eq!(packed(&path, "refs/heads/main").unwrap(), Some(Reference::Commit(ID.into())));
    assert_eq!(packed(&path, "refs/heads/other").unwrap(), None);
}

proptest! {
    #[test]
    fn names_that_are_read_stay_below_their_folder(content in "(ref: )?(refs/)?[a-z./ ~\\pC]{0,40}") {
        if let Some(Reference::Name(name)) = parse(&content) {
            let mut parts = Path::new(&name).components();
            prop_assert!(parts.all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)));
        }
    }
}

use super::*;

#[test]
fn what_is_no_file_of_settings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("long"), vec![b'x'; (MOST_BYTES + 1) as usize]).unwrap();
    nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::os::unix::fs::symlink(path("round"), path("round")).unwrap();
    std::fs::write(path("bytes"), b"a=\xff\n").unwrap();
    let mut room = Room::default();
    for (name, why) in [("long", "1 MiB"), ("pipe", "regular"), (".", "regular"), ("round", ""), ("none", "")] {
        let error = text(&path(name), &mut room).unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
    assert_eq!(text(&path("bytes"), &mut room).unwrap(), "a=\u{fffd}\n");
    assert!(text(&path("bytes"), &mut Room(0)).unwrap_err().to_string().contains("more than"));
}

#[test]
fn a_line_is_a_pair_without_its_comment() {
    assert_eq!(pair("  opcache.enable = 0 ; off"), Some(("opcache.enable", "0")));
    assert_eq!(pair("a=\"x;y\" ; z"), Some(("a", "x;y")));
    assert_eq!(pair("a ="), Some(("a", "")));
    assert_eq!(pair(";a=1"), None);
    assert_eq!(pair("[www]"), None);
}

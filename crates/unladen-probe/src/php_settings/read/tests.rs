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

#[test]
fn files_come_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in ["b site/pool d/x.conf", "b site/pool d/a.conf", "b site/pool d/a.conf~", "a/pool d/z.conf"] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "").unwrap();
    }
    let names = |pattern: &str| -> Vec<String> {
        let found = glob(&root.join(pattern)).unwrap();
        found.iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
    };
    assert_eq!(names("b site/pool d/*.conf"), ["b site/pool d/a.conf", "b site/pool d/x.conf"]);
    assert_eq!(names("*/pool d/?.conf").len(), 3);
    assert_eq!(names("a/pool d/z.conf"), ["a/pool d/z.conf"]);
    assert_eq!(names("none/*").len() + names("none").len(), 0);
    fs::write(root.join("a/pool d/.hidden.conf"), "").unwrap();
    fs::write(root.join("a/[x"), "").unwrap();
    assert_eq!(names("a/pool d/*.conf"), ["a/pool d/z.conf"], "what is hidden is included by nobody");
    assert_eq!(names("a/[x"), ["a/[x"]);
    assert_eq!(names("[!a]*/pool d/[a-b].conf"), ["b site/pool d/a.conf"]);
    // One that tries all ways for each star takes years for this.
    fs::write(root.join("a".repeat(250)), "").unwrap();
    assert_eq!(names(&format!("{}b", "a*".repeat(30))).len(), 0);
}

#[test]
fn the_last_line_for_all_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("zzz one.ini"), folder.path().join("zzz two.ini"));
    std::fs::write(&one, "[opcache]\nopcache.enable=1\nopcache.enable=0\n[HOST=a]\nsession.name=x\n").unwrap();
    std::fs::write(&two, "; session.name=y\nmemory_limit = 1M\n[path=/a]\nopcache.enable=1\n").unwrap();
    let files = [&*one, Path::new("/nonexistent"), &*two];
    let told = |line: &IniLine| format!("{} {}", line.name, line.line);
    let found = ini_lines(files.into_iter(), |name| name != "no");
    assert_eq!(found.iter().map(told).collect::<Vec<_>>(), ["opcache.enable 3", "memory_limit 2"]);
    assert_eq!(found[0].text, "opcache.enable=0");
}

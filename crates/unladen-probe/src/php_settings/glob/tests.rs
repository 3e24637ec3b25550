use super::*;

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

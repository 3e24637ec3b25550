//! Links in a root, and a root that is one.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use super::{Tree, files_alone, front_controller};
use crate::{RequestPath, Resolved, Root};

#[test]
fn links_may_lead_within_the_root() {
    let tree = Tree::new(&["a/b.css", "index.php", "x/app.php"]);
    let root = tree.path();
    symlink("a/b.css", root.join("near.css")).unwrap();
    symlink(root.join("a/b.css"), root.join("whole.css")).unwrap();
    symlink("a", root.join("folder")).unwrap();
    symlink("../a/b.css", root.join("x/up.css")).unwrap();
    symlink("x/app.php", root.join("run.php")).unwrap();
    for (target, wanted) in [
        ("/near.css", "file near.css"),
        ("/whole.css", "file whole.css"),
        ("/folder", "redirect /folder/"),
        ("/folder/b.css", "file folder/b.css"),
        ("/x/up.css", "file x/up.css"),
        ("/run.php", "script /run.php"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &front_controller()), wanted, "{target}");
    }
}

#[test]
fn links_do_not_lead_out_of_the_root_or_to_what_is_hidden() {
    let tree = Tree::new(&["config.php", ".env", ".git/config", "index.php"]);
    let root = tree.path();
    symlink("../secret", root.join("out.txt")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    symlink("config.php", root.join("config.txt")).unwrap();
    symlink(".env", root.join("env.txt")).unwrap();
    symlink(".git", root.join("git")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("nothing", root.join("dangling")).unwrap();
    fs::write(root.join("picture.jpg"), "").unwrap();
    symlink("picture.jpg", root.join("picture.php")).unwrap();
    for target in [
        "/out.txt",
        "/etc/passwd",
        "/etc/",
        "/magic/etc/passwd",
        "/config.txt",
        "/env.txt",
        "/git/config",
        "/loop",
        "/dangling",
        "/loop/x",
    ] {
        assert_eq!(tree.get(target.as_bytes(), &files_alone()), "404", "{target}");
    }
    assert_eq!(tree.get(b"/picture.php", &front_controller()), "404");
}

#[test]
fn links_may_lead_to_folders_that_are_named() {
    let tree = Tree::new(&["index.php"]);
    let beside = tree.path().parent().unwrap().join("beside");
    fs::create_dir_all(beside.join("sub")).unwrap();
    for name in ["sub/a.css", "run.php", ".env", "lib.inc"] {
        fs::write(beside.join(name), "").unwrap();
    }
    symlink(&beside, tree.path().join("b")).unwrap();
    symlink("../secret", tree.path().join("out.txt")).unwrap();
    symlink("../secret", beside.join("out.txt")).unwrap();
    assert_eq!(tree.get(b"/b/sub/a.css", &front_controller()), "404");
    let tree = tree.with_links(&[&beside]);
    for (target, wanted) in [
        ("/b/sub/a.css", "file b/sub/a.css"),
        ("/b/sub", "redirect /b/sub/"),
        ("/b/run.php", "script /b/run.php"),
        ("/b/lib.inc", "script /index.php"),
        ("/b/out.txt", "404"),
        ("/out.txt", "404"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &front_controller()), wanted, "{target}");
    }
}

#[test]
fn a_refusal_names_the_link_for_the_log() {
    let tree = Tree::new(&[]);
    symlink("../secret", tree.path().join("out.txt")).unwrap();
    let path = RequestPath::parse(b"/out.txt").unwrap();
    let Resolved::Refused(refusal) = tree.root.resolve(&path, &files_alone(), Instant::now()) else { panic!() };
    let text = refusal.to_string();
    assert!(text.contains("/root/out.txt") && text.contains("/secret") && text.contains("route"), "{text}");
}

#[test]
fn a_deployment_switches_the_root() {
    let tree = Tree::new(&["one/a", "two/b"]);
    let current = tree.path().join("current");
    symlink("one", &current).unwrap();
    let root = Root::open(&current).unwrap();
    let has = |target: &[u8], now: Instant| {
        let path = RequestPath::parse(target).unwrap();
        matches!(root.resolve(&path, &files_alone(), now), Resolved::File(_))
    };
    let now = Instant::now();
    assert!(has(b"/a", now));
    fs::remove_file(&current).unwrap();
    // Between the two, the old one stays in use.
    assert!(has(b"/a", now + Duration::from_secs(2)));
    symlink("two", &current).unwrap();
    let later = now + Duration::from_secs(4);
    assert!(has(b"/b", later) && !has(b"/a", later));
    assert!(root.real().ends_with("two"));
}

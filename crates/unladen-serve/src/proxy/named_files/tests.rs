use super::*;

fn named_files(folders: &[&Path]) -> NamedFiles {
    NamedFiles::new(&ScriptSettings {
        folder: None,
        script: None,
        name: String::new(),
        sendfile: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        suffixes: vec![".php".into()],
        params: Vec::new(),
        status_path: None,
        keep: false,
    })
}

#[test]
fn files_of_the_folders_are_sent_and_no_others() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(one.path().join("a b%é.txt"), "hello").unwrap();
    std::fs::write(one.path().join("x.php"), "<?php").unwrap();
    std::fs::write(one.path().join(".secret"), "secret").unwrap();
    std::fs::write(other.path().join("other.txt"), "other").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", one.path().join("link")).unwrap();
    let files = named_files(&[one.path(), other.path()]);
    let file = |path: PathBuf| files.open(Named::File(path.as_os_str().as_bytes()), Instant::now());
    let location = |path: &str| files.open(Named::Location(path.as_bytes()), Instant::now());
    assert_eq!(file(one.path().join("a b%é.txt")).unwrap().meta.length, 5);
    assert_eq!(file(other.path().join("other.txt")).unwrap().meta.length, 5);
    assert_eq!(location("/a%20b%25%C3%A9.txt").unwrap().meta.length, 5);
    assert_eq!(location("/other.txt").unwrap().meta.length, 5, "in the second folder");
    let denied = |sent: Result<OpenFile, NotSent>| assert!(matches!(sent, Err(NotSent::Denied(_))), "{sent:?}");
    let missing = |sent: Result<OpenFile, NotSent>| assert!(matches!(sent, Err(NotSent::Missing(_))), "{sent:?}");
    denied(file("/etc/passwd".into()));
    denied(file(one.path().join("../../etc/passwd")));
    denied(file(one.path().join("x.php")));
    denied(location("/%2e%2e/etc/passwd"));
    denied(location("/a%00b"));
    denied(location("no-path"));
    missing(file(one.path().join("none.txt")));
    missing(file(one.path().join("link")));
    missing(location("/.secret"));
    denied(named_files(&[]).open(Named::Location(b"/other.txt"), Instant::now()));
    missing(named_files(&["/nonexistent/folder".as_ref()]).open(Named::Location(b"/x"), Instant::now()));
}

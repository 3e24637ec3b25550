use super::*;

#[test]
fn a_script_is_asked_for_below_what_is_served_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("public")).unwrap();
    for file in ["a b.php", "public/index.php", "notes.txt"] {
        std::fs::write(root.join(file), "").unwrap();
    }
    let page = |script: &str| Page::of(root, script).map(|page| (page.folder, page.target));
    assert_eq!(
        page("a b.php?x=1 2\r\nHost: y").unwrap(),
        (root.to_owned(), "/a%20b.php?x=1%202%0D%0AHost:%20y".into())
    );
    assert_eq!(page("public/index.php/a").unwrap(), (root.join("public"), "/index.php/a".into()));
    for wrong in ["", "none.php", "notes.txt", "../a b.php", "public/../a b.php", "public"] {
        assert!(page(wrong).unwrap_err().to_string().contains("a PHP script below"), "{wrong}");
    }
}

/// Whoever was quicker at the port got the key, and read the application's private files with it.
#[test]
fn a_port_that_another_process_holds_is_not_asked() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut running = Running(Command::new("sleep").arg("0.2").spawn().unwrap());
    let why = running.connect(taken.local_addr().unwrap(), &Cancel::new()).unwrap_err();
    assert!(why.to_string().contains("ended at once"), "{why}");
}

/// A line of 64 MB, of objects that nobody asked for, took 6.4 GB.
#[test]
fn what_an_answer_has_besides_is_not_kept() {
    let line = format!("{{\"x\":[{}0],\"class\":\"A\"}}", "{\"\":0},".repeat(1_000));
    let read: Line = serde_json::from_str(&line).unwrap();
    assert_eq!((read.class.as_deref(), read.loaders.is_some()), (Some("A"), false));
}

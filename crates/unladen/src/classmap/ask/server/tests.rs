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

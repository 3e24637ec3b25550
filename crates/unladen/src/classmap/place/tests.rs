use super::*;

/// `unladen classmap /usr/share/mediawiki` left its map in a package's tree.
#[test]
fn a_map_was_written_into_a_packages_tree() {
    let at = |root: &str| kept(Path::new(root)).map(|path| path.display().to_string());
    assert_eq!(
        at("/usr/share/mediawiki").as_deref(),
        Some("/var/lib/unladen/usr/share/mediawiki/unladen-classmap.php")
    );
    assert_eq!(at("/usr/local/share/wiki"), None);
    assert_eq!(at("/srv/usr/share/wiki"), None);
    assert_eq!(at("/usrlocal"), None);
}

#[test]
fn a_map_that_is_in_the_folder_stays_there() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(place(folder.path()), folder.path().join(NAME));
    fs::write(folder.path().join(NAME), "<?php").unwrap();
    assert_eq!(place(folder.path()), folder.path().join(NAME));
}

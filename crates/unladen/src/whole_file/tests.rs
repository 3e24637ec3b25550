use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Ctrl-C while `unladen classmap` wrote left a file such as `.tmp3fGh1k` in the application's folder.
#[test]
fn nothing_is_beside_the_file_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    if unnamed(folder.path()).is_err() {
        eprintln!("left out: the file system of {} has no files without names", folder.path().display());
        return;
    }
    let path = folder.path().join("map.php");
    for (before, text) in [(vec![], "one"), (vec!["map.php".to_owned()], "another")] {
        replace(&path, folder.path(), |out| {
            assert_eq!(names(folder.path()), before);
            out.write_all(text.as_bytes())
        })
        .unwrap();
        assert_eq!(
            (names(folder.path()), std::fs::read_to_string(&path).unwrap()),
            (vec!["map.php".to_owned()], text.to_owned())
        );
    }
    let failed = replace(&path, folder.path(), |out| {
        out.write_all(b"half of it")?;
        Err(io::Error::other("no more"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "no more");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "another");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    assert!(replace(&folder.path().join("folder"), folder.path(), |_| Ok(())).is_err());
    assert_eq!(names(folder.path()), ["folder", "map.php"]);
}

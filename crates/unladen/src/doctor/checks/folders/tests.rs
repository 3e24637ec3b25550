use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_store_tells_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("below/runs.sqlite"));
    let row = of(&location, false);
    assert_eq!(row.verdict, Verdict::Ok);
    assert!(row.what.contains("yet: the first measurement creates it"), "{row:?}");
    assert!(!folder.path().join("below").exists(), "nothing is made by looking");
    drop(open(&location, Mode::ReadWrite).unwrap());
    assert!(of(&location, true).what.starts_with("0 runs, "), "{:?}", of(&location, true));
}

#[test]
fn what_is_no_store_is_said_in_the_words_of_stores() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.sqlite");
    std::fs::write(&file, "a diary, which is no database of anybody".repeat(50)).unwrap();
    let row = of(&Location::Sqlite(file), true);
    assert_eq!(row.verdict, Verdict::Missing);
    assert!(row.what.contains("is not a store of runs") && row.fix.is_empty(), "{row:?}");
}

#[test]
fn one_place_for_programs_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(of_places(&["/proc/none".into()]).verdict, Verdict::Limited);
    assert_eq!(of_places(&["/proc/none".into(), folder.path().into()]).verdict, Verdict::Ok);
}

#[test]
fn a_log_that_is_there_is_named() {
    let root = tempfile::tempdir().unwrap();
    let look = || logs(&Asked::at(root.path()));
    assert_eq!(look()[0].what, "no access log in the usual places");
    std::fs::create_dir_all(root.path().join("var/log/nginx")).unwrap();
    std::fs::write(root.path().join(PLACES[0]), "").unwrap();
    assert_eq!((look()[0].verdict, &*look()[0].what), (Verdict::Ok, "/var/log/nginx/access.log can be read"));
}

use std::fs;

use super::*;

#[test]
fn one_has_a_file_and_another_one_another() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("app.ini"), folder.path().join("other.ini"));
    fs::create_dir(folder.path().join("sub")).unwrap();
    let claim = Claim::take(&file).unwrap();
    assert_eq!(claim.as_ref().map(|claim| claim.path.as_path()), Some(file.as_path()));
    assert!(Claim::take(&other).unwrap().is_some());
    let error = Claim::take(&folder.path().join("sub/../app.ini")).unwrap_err().to_string();
    assert!(error.ends_with("app.ini is being switched by another experiment: wait for its end"), "{error}");
    drop(claim);
    assert!(Claim::take(&file).unwrap().is_some());
    assert!(Claim::take(&folder.path().join("none/app.ini")).unwrap().is_none(), "there is no such folder");
}

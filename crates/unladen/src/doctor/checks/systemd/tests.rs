use super::*;
use crate::doctor::row::Verdict;

#[test]
fn its_folder_tells() {
    let root = tempfile::tempdir().unwrap();
    let look = || Systemd.look(&Asked::at(root.path()))[0].verdict;
    assert_eq!(look(), Verdict::Limited);
    std::fs::create_dir_all(root.path().join("run/systemd/system")).unwrap();
    assert_eq!(look(), Verdict::Ok);
}

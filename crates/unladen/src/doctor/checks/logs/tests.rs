use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_log_that_is_there_is_named() {
    let root = tempfile::tempdir().unwrap();
    let look = || Logs.look(&Asked::at(root.path()));
    assert_eq!(look()[0].what, "no access log is at the usual places");
    std::fs::create_dir_all(root.path().join("var/log/nginx")).unwrap();
    std::fs::write(root.path().join(PLACES[0]), "").unwrap();
    assert_eq!((look()[0].verdict, &*look()[0].what), (Verdict::Ok, "/var/log/nginx/access.log can be read"));
}

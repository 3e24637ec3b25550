use super::*;
use crate::doctor::row::Verdict;

#[test]
fn one_place_for_programs_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(row(&["/proc/none".into()]).verdict, Verdict::Limited);
    assert_eq!(row(&["/proc/none".into(), folder.path().into()]).verdict, Verdict::Ok);
}

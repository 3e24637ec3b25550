use super::*;
use crate::doctor::row::Verdict;

#[test]
fn it_is_missed_where_perl_runs() {
    assert_eq!(row(Some("6.12".into()), false).what, "Perl has Devel::NYTProf 6.12");
    assert_eq!(row(Some(String::new()), true).verdict, Verdict::Limited);
    assert_eq!((row(Some(String::new()), false).verdict, row(None, false).verdict), (Verdict::Ok, Verdict::Ok));
}

use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_version_is_two_numbers() {
    for (release, verdict) in [
        ("6.1.0-25-amd64", Verdict::Ok),
        ("5.8.0", Verdict::Ok),
        ("5.7.19", Verdict::Missing),
        ("4.18.0-553.el8.x86_64", Verdict::Missing),
        ("10.0-rc1", Verdict::Ok),
        ("", Verdict::Limited),
    ] {
        assert_eq!(version(release).verdict, verdict, "{release}");
    }
}

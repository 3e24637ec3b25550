use super::*;
use crate::doctor::row::Verdict;

#[test]
fn load_and_server_share_a_single_processor() {
    assert_eq!(row(1, None, Some("Z80")).verdict, Verdict::Limited);
    assert_eq!(row(4, Some(1.5), None).what, "4 processors, a quota of 1.5 (of unknown model)");
}

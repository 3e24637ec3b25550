use super::*;

#[test]
fn the_list_reads_like_this() {
    insta::assert_snapshot!(list());
}

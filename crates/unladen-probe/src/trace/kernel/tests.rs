use super::left_out;

#[test]
fn what_was_left_out_is_told() {
    assert_eq!(left_out("pos:\t0\nprog_id:\t7\nrecursion_misses:\t12\nverified_insns:\t3\n"), Some(12));
    assert_eq!(left_out("pos:\t0\nprog_id:\t7\n"), None);
}

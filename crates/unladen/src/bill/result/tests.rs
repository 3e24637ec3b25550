use super::*;

#[test]
fn what_a_cache_answered_in_the_log_is_told_as_a_part_of_all_requests() {
    let kind = |requests, cached_share| BilledKind { requests, cached_share, ..BilledKind::default() };
    assert_eq!(cache_warning(&[kind(10, None), kind(10, Some(0.0))]), None);
    let warning = cache_warning(&[kind(300, Some(0.5)), kind(100, None)]).unwrap();
    assert!(warning.contains("answered 38 % of these requests") || warning.contains("37.5 %"), "{warning}");
}

use super::*;

/// Each of 24 requests lost events, and the route that was half seen was told as whole.
#[test]
fn lost_events_left_the_path_known() {
    let mut looks = Looks::default();
    looks.add(true, 0);
    for _ in 0..23 {
        looks.add(false, 2);
    }
    assert!(!looks.are_enough());
    assert!(looks.unknown().unwrap().why.starts_with("46 events were lost"), "{looks:?}");
    for _ in 0..3 {
        looks.add(false, 0);
    }
    assert!(looks.are_enough() && looks.unknown().is_none());
}

#[test]
fn who_turns_up_late_is_looked_at_as_often() {
    let mut looks = Looks::default();
    for is_wider in [false, false, true, false, false] {
        looks.add(is_wider, 0);
    }
    assert_eq!(looks.unknown().unwrap().why, "each request went to somebody else");
}

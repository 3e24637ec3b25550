use super::*;

#[test]
fn time_begins_anew_with_each_number() {
    let (mut lateness, start) = (Lateness::default(), Instant::now());
    let second = |n| start + Duration::from_secs(n);
    assert_eq!(lateness.of_head(Some(1), second(0)), Duration::ZERO);
    assert_eq!(lateness.of_head(Some(1), second(5)), Duration::from_secs(5));
    assert_eq!(lateness.of_head(Some(2), second(6)), Duration::ZERO, "another head");
    assert_eq!(lateness.of_head(None, second(7)), Duration::ZERO);
    assert_eq!(lateness.of_head(Some(2), second(9)), Duration::ZERO, "it was over meanwhile");
    assert_eq!(lateness.of_sending(Some(0), second(0)), Duration::ZERO);
    assert_eq!(lateness.of_sending(Some(0), second(60)), Duration::from_secs(60));
}

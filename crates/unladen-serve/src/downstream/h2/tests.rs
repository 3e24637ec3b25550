use super::*;

#[test]
fn time_begins_anew_with_each_number() {
    let (mut head, start) = (Same::default(), Instant::now());
    let second = |n| start + Duration::from_secs(n);
    assert_eq!(head.since(Some(1), second(0)), Duration::ZERO);
    assert_eq!(head.since(Some(1), second(5)), Duration::from_secs(5));
    assert_eq!(head.since(Some(2), second(6)), Duration::ZERO, "another head");
    assert_eq!(head.since(None, second(7)), Duration::ZERO);
    assert_eq!(head.since(Some(2), second(9)), Duration::ZERO, "it was over meanwhile");
    assert_eq!(head.since(Some(2), second(69)), Duration::from_secs(60));
    let mut sent = Same::default();
    assert_eq!(sent.since(Some(0), second(0)), Duration::ZERO, "another clock");
    assert_eq!(sent.since(Some(0), second(60)), Duration::from_secs(60), "nothing taken is a number too");
}

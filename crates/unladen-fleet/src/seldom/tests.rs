use super::*;

#[test]
fn what_happens_often_is_counted() {
    let (seldom, now) = (Seldom::default(), Instant::now());
    assert_eq!(seldom.passes(now), Some(1));
    assert_eq!(seldom.passes(now + PAUSE / 2), None);
    assert_eq!(seldom.passes(now + PAUSE / 2), None);
    assert_eq!(seldom.passes(now + PAUSE), Some(3));
    assert_eq!(seldom.passes(now + PAUSE * 2), Some(1));
}

use super::*;

#[test]
fn twice_is_once_within_a_bound() {
    let mut recent = Recent::default();
    assert!(recent.insert(b"a") && !recent.insert(b"a"));
    (0..KEPT as u64).for_each(|n| assert!(recent.insert(&n.to_be_bytes())));
    assert!(recent.insert(b"a"), "it is not remembered for ever");
    assert_eq!((recent.known.len(), recent.order.len()), (KEPT, KEPT));
    recent.clear();
    assert!(recent.insert(b"a"));
}

#[test]
fn what_happens_often_is_counted() {
    let (seldom, now) = (Seldom::default(), Instant::now());
    assert_eq!(seldom.passes(now), Some(1));
    assert_eq!(seldom.passes(now + PAUSE / 2), None);
    assert_eq!(seldom.passes(now + PAUSE / 2), None);
    assert_eq!(seldom.passes(now + PAUSE), Some(3));
    assert_eq!(seldom.passes(now + PAUSE * 2), Some(1));
}

use super::super::rendezvous::hash;
use super::*;

#[test]
fn what_is_asked_for_often_is_hot_until_it_is_not() {
    let now = Instant::now();
    let heat = Heat::new(now);
    let page = hash(b"http://a.example/");
    assert_eq!([1, 2, 3, 4].map(|_| heat.count(page, now)), [1, 2, 3, 4]);
    assert_eq!(heat.count(page, now + HALF), 3);
    assert_eq!(heat.count(page, now + 20 * HALF), 1);
    for _ in 0..1000 {
        heat.count(page, now + 20 * HALF);
    }
    assert_eq!(heat.count(page, now + 20 * HALF), u8::MAX);
}

#[test]
fn others_do_not_make_a_page_hot() {
    let now = Instant::now();
    let heat = Heat::new(now);
    let hot = (0..5000_u32).filter(|n| heat.count(hash(&n.to_be_bytes()), now) > 1).count();
    // In both rows by chance: 5,000 of 32,768 twice, at the end.
    assert!(hot < 5000 / 20, "{hot}");
}

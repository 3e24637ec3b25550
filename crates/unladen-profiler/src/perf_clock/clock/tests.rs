use super::*;

#[test]
fn blocks_are_balanced() {
    let mut stretches = Stretches::new(fastrand::Rng::with_seed(1));
    let blocks: Vec<(bool, bool)> =
        (0..64).map(|_| (stretches.is_request_first(), stretches.is_request_first())).collect();
    assert!(blocks.iter().all(|(first, second)| first != second));
    let first = blocks.iter().filter(|(first, _)| *first).count();
    assert!((16..48).contains(&first), "{first} of 64");
}

#[test]
fn stretches_are_as_long_as_requests_but_not_in_step() {
    let mut stretches = Stretches::new(fastrand::Rng::with_seed(2));
    assert!(!stretches.knows());
    stretches.learn(Duration::from_millis(100));
    assert!(stretches.knows());
    let all: Vec<_> = (0..100).map(|_| stretches.without()).collect();
    let in_ms = |ms| Duration::from_millis(ms);
    assert!(all.iter().all(|(gap, length)| *gap <= in_ms(25) && (in_ms(50)..in_ms(150)).contains(length)));
    let mean = all.iter().map(|(_, length)| *length).sum::<Duration>() / 100;
    assert!((in_ms(85)..in_ms(115)).contains(&mean), "{mean:?}");
    stretches.learn(Duration::from_secs(3600));
    assert!(stretches.without().1 <= in_ms(3000));
}

#[test]
fn what_is_left_to_do_is_waited_for() {
    assert_eq!(Stretches::settle(Duration::from_micros(300)), Duration::from_millis(10));
    assert_eq!(Stretches::settle(Duration::from_millis(24)), Duration::from_millis(24));
    assert_eq!(Stretches::settle(Duration::from_secs(9)), Duration::from_millis(50));
}

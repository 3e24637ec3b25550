use super::*;

#[test]
fn draws_follow_the_weights() {
    let mut draw = Mix::weighted([(5, 1.0), (1, 0.0), (7, 3.0), (9, f64::NAN)]).draw(42);
    let mut counts = [0; 10];
    for _ in 0..10_000 {
        counts[draw.next()] += 1;
    }
    assert_eq!(counts.iter().sum::<i32>(), counts[5] + counts[7]);
    // Six standard deviations.
    assert!((2_240..=2_760).contains(&counts[5]), "{}", counts[5]);
}

#[test]
fn shares_are_the_same_one_by_one_and_at_once() {
    let mix = Mix::weighted([(3, 2.0), (0, 1.0), (3, 5.0), (9, 8.0)]);
    let one_by_one: Vec<f64> = (0..6).map(|index| mix.share(index)).collect();
    assert_eq!(mix.shares(6), one_by_one);
    assert_eq!(one_by_one, [1.0 / 16.0, 0.0, 0.0, 7.0 / 16.0, 0.0, 0.0]);
}

#[test]
fn without_weights_it_is_the_first() {
    assert_eq!(Mix::weighted([(3, 0.0)]), Mix::only(0));
    assert_eq!(Mix::only(4).draw(1).next(), 4);
}

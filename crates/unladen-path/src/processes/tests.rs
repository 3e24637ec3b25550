use super::*;

#[test]
fn descendants_are_all_but_those_of_the_first_process() {
    let family = Family::of([(10, 1), (11, 10), (12, 11), (20, 1)].into_iter());
    let mut all = family.with_descendants(&[10, 1], 100);
    all.sort_unstable();
    assert_eq!(all, [1, 10, 11, 12]);
    assert_eq!(family.with_descendants(&[10], 2).len(), 2);
}

#[test]
fn a_circle_ends() {
    let family = Family::of([(10, 11), (11, 10)].into_iter());
    assert_eq!(family.with_descendants(&[10], 100).len(), 2);
}

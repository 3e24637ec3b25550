use super::*;

/// Connections at all addresses were counted together, and held against the bound of one: an address was full of
/// those of another.
#[test]
fn what_is_counted_together_has_one_bound() {
    let all = [("a", 100), ("b", 7), ("a", 5000), ("a", 20)];
    assert_eq!(most_of_each(all.into_iter()), [5000, 7, 5000, 5000]);
}

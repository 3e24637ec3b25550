use super::*;

#[test]
fn a_time_in_a_page_is_no_other_page() {
    let of = |sizes: &[u64]| {
        let mut all = BodySizes::default();
        sizes.iter().for_each(|bytes| all.add(*bytes));
        all.differ()
    };
    assert!(!of(&[]) && !of(&[17_100]));
    assert!(!of(&[17_100, 17_128, 17_095]), "a page with the time that it took");
    assert!(of(&[17_100, 340]) && of(&[100, 200]));
    let mut joined = BodySizes::default();
    joined.join(BodySizes::default());
    joined.add(100);
    let mut other = BodySizes::default();
    other.add(5000);
    joined.join(other);
    assert!(joined.differ());
}

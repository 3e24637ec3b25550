use super::*;
use proptest::prelude::*;

/// `unladen load` for ten hours at 5,000 a second adds 180 million.
#[test]
fn bins_that_are_full_take_no_more() {
    let mut bins = Bins::default();
    (0..64).for_each(|bit| (0..4096).for_each(|part| bins.add((part << 52) >> bit)));
    let full = bins.memory();
    assert!(full <= 300_000, "{full}");
    (0..64).for_each(|bit| (0..4096).for_each(|part| bins.add_many((part << 52) >> bit, 1_000_000)));
    assert_eq!(bins.memory(), full);
}

proptest! {
    #[test]
    fn bins_are_narrow(latency in any::<u64>(), bits in 0_u32..64) {
        let latency = latency >> bits;
        let middle = middle_of(number_of(latency));
        prop_assert!(middle.abs_diff(latency) as f64 <= latency as f64 / 2_000.0, "{latency} {middle}");
        prop_assert_eq!(number_of(middle), number_of(latency));
        prop_assert!(number_of(latency) < ALL);
    }

    #[test]
    fn what_is_sent_is_what_comes(some in prop::collection::vec((any::<u64>(), 1_u32..9), 0..50)) {
        let mut bins = Bins::default();
        some.iter().for_each(|(latency, count)| bins.add_many(*latency, *count));
        let form = BinsForm::from(bins.clone());
        prop_assert_eq!(Bins::try_from(form.clone()), Ok(bins));
        let cut = BinsForm { bytes: form.bytes[..form.bytes.len().saturating_sub(1)].to_vec() };
        prop_assert!(some.is_empty() || Bins::try_from(cut).is_err());
    }

    #[test]
    fn no_bytes_take_memory_or_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(bins) = Bins::try_from(BinsForm { bytes }) {
            prop_assert!(bins.rows.len() <= ALL / ROW);
        }
    }

    #[test]
    fn they_are_in_order_and_none_is_lost(
        some in prop::collection::vec(any::<u64>(), 0..50),
        others in prop::collection::vec(0_u64..1 << 24, 0..50),
    ) {
        let (mut bins, mut more) = (Bins::default(), Bins::default());
        some.iter().for_each(|latency| bins.add(*latency));
        others.iter().for_each(|latency| more.add(*latency));
        prop_assert_eq!(bins.is_empty(), some.is_empty());
        bins.absorb(&more);
        let all: Vec<_> = bins.iter().collect();
        prop_assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        prop_assert_eq!(bins.total() as usize, some.len() + others.len());
    }
}

use proptest::prelude::*;

use super::*;
use crate::record::tests::any_record;

proptest! {
    #[test]
    fn every_request_is_in_it_once(records in prop::collection::vec(any_record(), 0..60)) {
        let mut summary = RecordSummary::default();
        records.iter().for_each(|record| summary.add(record));
        prop_assert!(summary.is_consistent());
        prop_assert_eq!(summary.is_empty(), records.is_empty());
        let answered = records.iter().filter(|record| record.error.is_none());
        prop_assert_eq!(summary.answered, answered.clone().count() as u64);
        let longest = answered.filter(|record| record.reused).map(|record| record.latency_ns).max();
        prop_assert_eq!(summary.reused.max_ns, longest.unwrap_or(0));
        prop_assert_eq!(summary.reused.iter().last().map(|(ns, _)| ns <= summary.reused.max_ns), longest.map(|_| true));
        // As it comes over the pipe.
        let text = serde_json::to_string(&summary).unwrap();
        prop_assert_eq!(serde_json::from_str::<RecordSummary>(&text).unwrap(), summary);
    }
}

#[test]
fn quantiles_are_those_of_the_bins() {
    let mut latencies = BinnedLatencies::default();
    assert_eq!(latencies.at(0.5), None);
    (1..=100).for_each(|ns| latencies.add(ns));
    assert_eq!([0.0, 0.5, 0.99, 1.0].map(|q| latencies.at(q)), [Some(1), Some(50), Some(99), Some(100)]);
}

#[test]
fn one_that_does_not_add_up_is_seen() {
    let mut summary = RecordSummary { recorded: 2, answered: 2, waited: 2, ..RecordSummary::default() };
    assert!(!summary.is_consistent(), "two answers without a latency");
    summary.new.add(5);
    summary.reused.add(7);
    assert!(summary.is_consistent());
    summary.errors.insert(ErrorKind::Timeout, 1);
    assert!(!summary.is_consistent());
}

//! What every store does: one set of tests for all back ends. Each gets a store in which nothing has been kept.
#![allow(dead_code, reason = "each test's binary uses some of it")]

mod finding;
mod keeping;
mod removing;
pub(crate) mod runs;

use unladen_store::Store;

/// A test of an empty store.
pub(crate) type Test = fn(&mut dyn Store);

/// All of them, by name.
pub(crate) const SUITE: &[(&str, Test)] = &[
    ("a_run_comes_back_as_it_was_kept", keeping::a_run_comes_back_as_it_was_kept),
    ("any_run_comes_back_as_it_was_kept", keeping::any_run_comes_back_as_it_was_kept),
    ("hostile_texts_are_texts", keeping::hostile_texts_are_texts),
    ("evidence_of_any_bytes_comes_back", keeping::evidence_of_any_bytes_comes_back),
    ("runs_are_kept_all_or_none", keeping::runs_are_kept_all_or_none),
    ("what_is_too_large_is_refused", keeping::what_is_too_large_is_refused),
    ("the_largest_texts_and_most_labels_are_kept", keeping::the_largest_texts_and_most_labels_are_kept),
    ("a_list_is_newest_first_page_by_page", finding::a_list_is_newest_first_page_by_page),
    ("each_filter_finds_what_it_says", finding::each_filter_finds_what_it_says),
    ("a_part_of_a_target_is_found_wherever_it_is", finding::a_part_of_a_target_is_found_wherever_it_is),
    ("few_targets_and_many_are_found_alike", finding::few_targets_and_many_are_found_alike),
    ("a_target_of_many_runs_is_found_in_order", finding::a_target_of_many_runs_is_found_in_order),
    ("filters_together_are_all_met", finding::filters_together_are_all_met),
    ("a_run_that_does_not_exist_has_neighbours", finding::a_run_that_does_not_exist_has_neighbours),
    ("removed_runs_leave_nothing", removing::removed_runs_leave_nothing),
    ("the_newest_of_each_target_stay", removing::the_newest_of_each_target_stay),
    ("runs_since_a_time_stay", removing::runs_since_a_time_stay),
];

//! A histogram as JSON: [`histogram`].

use serde_json::{Value, json};

use crate::histogram::HistogramTotals;

/// Counts of its buckets, whose bounds are `bounds_ns`, and the sum.
pub(super) fn histogram(totals: &HistogramTotals) -> Value {
    json!({ "buckets": totals.buckets, "sum_ns": totals.sum_ns })
}

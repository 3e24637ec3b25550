//! [`undecided`]: text on figures of two runs without a certain difference.

use unladen_compare::{Comparison, Verdict};

use crate::figures::count;

/// Separate words for equality and for undecidable figures.
pub(crate) fn undecided(comparison: &Comparison) -> (&'static str, String) {
    let untold = || comparison.rows.iter().filter(|row| !row.verdict.is_told());
    let equal = untold().filter(|row| row.verdict == Verdict::NoMeasurableDifference).count() as u64;
    let unjudged = untold().count() as u64 - equal;
    match (equal, unjudged) {
        (0, 0) => ("Nothing could be compared", String::new()),
        (equal, 0) => ("No measurable difference", format!(" in any of {}", count(equal, "figure"))),
        (0, unjudged) => {
            ("No figure could be judged", format!(": unclear, or not comparable, in {}", count(unjudged, "figure")))
        }
        (equal, unjudged) => (
            "No difference for certain",
            format!(
                ": {} without a measurable difference; {unjudged} unclear or not comparable",
                count(equal, "figure")
            ),
        ),
    }
}

#[cfg(test)]
mod tests;

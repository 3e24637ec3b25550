//! `--fail-on` conditions: [`gates`], and for experiments [`prove`].

use unladen_document::{Comparison, Gate, Metric, ProveDocument};

use super::suite::{Outcome, Suite};
use crate::verdict;

/// A case for each condition: broken ones fail, undecided ones pass and say so.
pub(super) fn gates(gates: &[Gate], verb: &str, suite: &mut Suite) {
    for gate in gates {
        let of = if gate.arm.is_empty() { &gate.url } else { &gate.arm };
        let title = if of.is_empty() { gate.condition.clone() } else { format!("{} in {of}", gate.condition) };
        suite.case(verb, &title, outcome(gate));
    }
}

fn outcome(gate: &Gate) -> Outcome {
    match (gate.broken, gate.untold) {
        (true, _) => Outcome::Failed {
            kind: gate.condition.clone(),
            message: gate.found.clone(),
            text: format!("fails if {}; found: {}", gate.condition, gate.found),
        },
        (false, true) => Outcome::Passed(format!("{}; unclear whether it holds: measure longer", gate.found)),
        (false, false) => Outcome::Passed(gate.found.clone()),
    }
}

/// Conditions, and comparisons, which fail only by a condition. Of the hundreds of weights, those that differ.
pub(super) fn prove(document: &ProveDocument, suite: &mut Suite) {
    gates(&document.gates, "prove", suite);
    let is_shown = |comparison: &&Comparison| comparison.kind() != Metric::Weight || comparison.change().is_told();
    for comparison in document.comparisons.iter().filter(is_shown) {
        let title = format!("{} of {}", comparison.metric, comparison.arm);
        let figures = format!(
            "{}; {} in the baseline, {} with it; noise floor {}",
            verdict::verdict(comparison),
            verdict::value(comparison, comparison.baseline),
            verdict::value(comparison, comparison.candidate),
            verdict::floor(comparison),
        );
        suite.case("prove.compared", &title, Outcome::Passed(figures));
    }
}

//! The principal type is [`Limit`]: what a figure is to be.

use crate::figures::{Series, three};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    Most(f64),
    Least(f64),
}

impl Limit {
    pub(crate) fn judge(self, what: &str, values: &Series) {
        println!("  {what}: {}", self.said(values));
    }

    fn said(self, values: &Series) -> String {
        let (word, limit) = match self {
            Self::Most(most) => ("at most", most),
            Self::Least(least) => ("at least", least),
        };
        format!("{values}, {word} {}: {}", three(limit), self.verdict(values))
    }

    /// By the median, with the rounds that say otherwise.
    fn verdict(self, values: &Series) -> String {
        let rounds = values.len();
        if rounds == 0 {
            return "not measured".into();
        }
        let holds = |value: f64| match self {
            Self::Most(most) => value <= most,
            Self::Least(least) => value >= least,
        };
        let within = values.count(holds);
        let word = if holds(values.median()) { "holds" } else { "DOES NOT HOLD" };
        if within == 0 || within == rounds { word.into() } else { format!("{word} (in {within} of {rounds} rounds)") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(limit: Limit, values: &[f64]) -> String {
        let mut series = Series::default();
        values.iter().for_each(|value| series.push(*value));
        limit.said(&series)
    }

    #[test]
    fn the_median_decides_and_dissent_is_told() {
        let most = |values: &[f64]| said(Limit::Most(1.0), values);
        assert_eq!(most(&[0.8, 0.9, 0.95]), "0.900 [0.800 … 0.950], at most 1.00: holds");
        assert_eq!(most(&[0.8, 0.9, 1.1]), "0.900 [0.800 … 1.10], at most 1.00: holds (in 2 of 3 rounds)");
        assert!(most(&[1.2, 0.9, 1.1]).ends_with("DOES NOT HOLD (in 1 of 3 rounds)"));
        assert!(most(&[1.2]).ends_with(": DOES NOT HOLD"));
        assert!(most(&[]).ends_with("not measured"));
        let least = |values: &[f64]| said(Limit::Least(1.46), values);
        assert_eq!(least(&[1.5, 1.6, 1.4]), "1.50 [1.40 … 1.60], at least 1.46: holds (in 2 of 3 rounds)");
        assert!(least(&[1.2]).ends_with("at least 1.46: DOES NOT HOLD"));
    }
}

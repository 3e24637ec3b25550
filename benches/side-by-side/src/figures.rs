//! The principal type is [`Series`]: the values of one contestant, one a round. [`Limit`] is what they are to be.

use std::fmt::Write as _;

/// Values, in the order of the rounds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series(Vec<f64>);

impl Series {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn values(&self) -> &[f64] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Round by round, how often this is `other`: what a round suffers from others on the machine, both suffer.
    pub(crate) fn over(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect())
    }

    /// Round by round, how much more this is than `other`.
    pub(crate) fn less(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    pub(crate) fn median(&self) -> f64 {
        let sorted = self.sorted();
        match sorted.len() {
            0 => f64::NAN,
            n if n % 2 == 1 => sorted[n / 2],
            n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        }
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// `median [least … most]`, to three digits.
impl std::fmt::Display for Series {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sorted = self.sorted();
        let (Some(least), Some(most)) = (sorted.first(), sorted.last()) else { return f.pad("–") };
        f.pad(&format!("{} [{} … {}]", three(self.median()), three(*least), three(*most)))
    }
}

/// To three digits, without an exponent.
pub(crate) fn three(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let digits = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    format!("{value:.*}", usize::try_from(2 - digits).unwrap_or(0).min(4))
}

/// What a figure is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    Most(f64),
    Least(f64),
}

impl Limit {
    pub(crate) fn judge(self, what: &str, values: &Series) {
        println!("  {what}: {}", self.said(values));
    }

    /// By the median, with the rounds that say otherwise.
    fn said(self, values: &Series) -> String {
        let (word, limit) = match self {
            Self::Most(most) => ("at most", most),
            Self::Least(least) => ("at least", least),
        };
        let holds = |value: f64| match self {
            Self::Most(most) => value <= most,
            Self::Least(least) => value >= least,
        };
        let (within, rounds) = (values.0.iter().filter(|value| holds(**value)).count(), values.0.len());
        let verdict = match holds(values.median()) {
            _ if rounds == 0 => "not measured",
            true => "holds",
            false => "DOES NOT HOLD",
        };
        let dissent =
            if within == 0 || within == rounds { String::new() } else { format!(" (in {within} of {rounds} rounds)") };
        format!("{values}, {word} {}: {verdict}{dissent}", three(limit))
    }
}

/// The least value that this share of all is at most; values in ascending order.
pub(crate) fn quantile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Prints rows in columns.
pub(crate) fn print(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (cell, width) in cells.zip(&widths) {
            // Writing to a String does not fail.
            let _ = write!(line, "  {cell:width$}");
        }
        println!("{}", line.trim_end());
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_reads_as_median_least_and_most() {
        let series = Series(vec![3.0, 100.0, 0.25]);
        assert_eq!(series.to_string(), "3.00 [0.250 … 100]");
        assert_eq!(Series::default().to_string(), "–");
        assert!((Series(vec![1.0, 2.0]).median() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let (a, b) = (Series(vec![2.0, 30.0]), Series(vec![1.0, 10.0]));
        assert_eq!(a.over(&b).0, [2.0, 3.0]);
        assert_eq!(a.less(&b).0, [1.0, 20.0]);
    }

    #[test]
    fn the_median_decides_and_dissent_is_told() {
        let most = |values: &[f64]| Limit::Most(1.0).said(&Series(values.to_vec()));
        assert_eq!(most(&[0.8, 0.9, 0.95]), "0.900 [0.800 … 0.950], at most 1.00: holds");
        assert_eq!(most(&[0.8, 0.9, 1.1]), "0.900 [0.800 … 1.10], at most 1.00: holds (in 2 of 3 rounds)");
        assert!(most(&[1.2, 0.9, 1.1]).ends_with("DOES NOT HOLD (in 1 of 3 rounds)"));
        assert!(most(&[]).ends_with("not measured"));
        assert!(Limit::Least(1.46).said(&Series(vec![1.2])).ends_with("at least 1.46: DOES NOT HOLD"));
    }
}

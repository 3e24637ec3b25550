//! The principal type is [`Bound`]: how much more than another's a figure of ours may be.

use super::peer::Peer;
use crate::figures::{Series, three};

#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// The peer's name.
    pub(super) against: &'static str,
    /// Ours over the peer's.
    pub(super) most: f64,
}

/// Prints what our figures are to the peers', and whether bounds hold; a bench reports, it does not fail.
pub(super) fn judge(what: &str, peers: &[Box<dyn Peer>], figures: &[Series], bounds: &[Bound]) {
    for (ours, own) in peers.iter().zip(figures).filter(|(peer, _)| peer.is_ours()) {
        for bound in bounds {
            let Some(at) = peers.iter().position(|peer| peer.name() == bound.against) else { continue };
            println!("  {what}, {} / {}: {}", ours.name(), bound.against, bound.said(&own.over(&figures[at])));
        }
    }
}

/// Prints whether each of ours is at most so much.
pub(super) fn judge_value(what: &str, peers: &[Box<dyn Peer>], figures: &[Series], most: f64) {
    for (ours, own) in peers.iter().zip(figures).filter(|(peer, _)| peer.is_ours()) {
        println!("  {what}, {}: {}, at most {}: {}", ours.name(), own, three(most), verdict(own, most));
    }
}

impl Bound {
    fn said(&self, ratios: &Series) -> String {
        format!("{ratios}, at most {}: {}", three(self.most), verdict(ratios, self.most))
    }
}

/// By the median, with the rounds that say otherwise.
fn verdict(values: &Series, most: f64) -> String {
    let within = values.at_most(most);
    let rounds = values.len();
    if rounds == 0 {
        return "not measured".into();
    }
    let word = if values.median() <= most { "holds" } else { "DOES NOT HOLD" };
    if within == 0 || within == rounds { word.into() } else { format!("{word} (in {within} of {rounds} rounds)") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides_and_dissent_is_told() {
        let bound = Bound { against: "nginx", most: 1.0 };
        let said = |values: &[f64]| {
            let mut series = Series::default();
            values.iter().for_each(|value| series.push(*value));
            bound.said(&series)
        };
        assert_eq!(said(&[0.8, 0.9, 0.95]), "0.900 [0.800 … 0.950], at most 1.00: holds");
        assert_eq!(said(&[0.8, 0.9, 1.1]), "0.900 [0.800 … 1.10], at most 1.00: holds (in 2 of 3 rounds)");
        assert!(said(&[1.2, 0.9, 1.1]).ends_with("DOES NOT HOLD (in 1 of 3 rounds)"));
        assert!(said(&[1.2]).ends_with(": DOES NOT HOLD"));
        assert!(said(&[]).ends_with("not measured"));
    }
}

//! The principal type is [`Bound`]: what a figure of ours is to be beside another's.

use super::peer::Peer;
use crate::figures::Series;
use crate::rig::limit::Limit;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// The peer's name.
    pub(crate) against: &'static str,
    /// Of ours over the peer's.
    pub(crate) limit: Limit,
}

/// Prints what our figures are to the peers', and whether bounds hold; a bench reports, it does not fail.
pub(crate) fn judge(what: &str, peers: &[Box<dyn Peer>], figures: &[Series], bounds: &[Bound]) {
    for (ours, own) in peers.iter().zip(figures).filter(|(peer, _)| peer.is_ours()) {
        for bound in bounds {
            let Some(at) = peers.iter().position(|peer| peer.name() == bound.against) else { continue };
            bound.limit.judge(&format!("{what}, {} / {}", ours.name(), bound.against), &own.over(&figures[at]));
        }
    }
}

/// Prints whether each of ours is at most so much.
pub(crate) fn judge_value(what: &str, peers: &[Box<dyn Peer>], figures: &[Series], most: f64) {
    for (ours, own) in peers.iter().zip(figures).filter(|(peer, _)| peer.is_ours()) {
        Limit::Most(most).judge(&format!("{what}, {}", ours.name()), own);
    }
}

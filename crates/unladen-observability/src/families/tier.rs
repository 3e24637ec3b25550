//! Metrics of the nodes of a tier: [`families`].

use super::family::Family;
use crate::tier_counts::TierState;

/// Metrics of this node; empty if it has no peers.
pub(super) fn families(tier: Option<&TierState>) -> Vec<Family> {
    let Some(tier) = tier else { return Vec::new() };
    let results = |name, [one, other, last]: [&'static str; 3], counts: [u64; 3]| {
        Family::by(name, "result", [(one, counts[0]), (other, counts[1]), (last, counts[2])])
    };
    vec![
        results("unladen.tier.asked", ["answered", "refused", "failed"], tier.asked),
        results("unladen.tier.questions", ["answered", "refused", "behind"], tier.answering),
        Family::one("unladen.tier.strangers", tier.strangers),
    ]
}

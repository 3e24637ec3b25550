//! Metrics of the nodes of a tier: [`families`].

use super::family::{Family, Point, Shape, Unit};
use crate::tier_counts::TierState;

/// Of this node; none: it has no peers.
pub(super) fn families(tier: Option<&TierState>) -> Vec<Family> {
    let Some(tier) = tier else { return Vec::new() };
    let results = |name, thing, help, words: &[&'static str], counts: &[u64]| Family {
        name,
        unit: Unit::Of(thing),
        shape: Shape::Counter,
        help,
        points: words.iter().zip(counts).map(|(word, n)| Point::whole(vec![("result", (*word).into())], *n)).collect(),
    };
    vec![
        results(
            "unladen.tier.asked",
            "{question}",
            "Questions to peers: answered; refused, or failed, so that the application was asked from here.",
            &["answered", "refused", "failed"],
            &tier.asked,
        ),
        results(
            "unladen.tier.questions",
            "{question}",
            "Questions of peers: answered; refused; refused because the peer has forgotten more purges than this node.",
            &["answered", "refused", "behind"],
            &tier.answering,
        ),
        Family {
            name: "unladen.tier.strangers",
            unit: Unit::Of("{request}"),
            shape: Shape::Counter,
            help: "Requests that claimed to come from a peer, with a wrong secret. They are treated as any client's.",
            points: vec![Point::whole(vec![], tier.strangers)],
        },
    ]
}

//! [`gates`]: `--fail-on` conditions.

use unladen_document::Gate as Kept;

use crate::prove::Gate;

pub(super) fn gates<'a>(gates: impl IntoIterator<Item = &'a Kept>) -> Vec<Gate> {
    gates.into_iter().map(gate).collect()
}

fn gate(kept: &Kept) -> Gate {
    let of = if kept.arm.is_empty() { &kept.url } else { &kept.arm };
    Gate {
        condition: kept.condition.clone(),
        arm: of.clone(),
        broken: kept.broken,
        untold: kept.untold,
        found: kept.found.clone(),
    }
}

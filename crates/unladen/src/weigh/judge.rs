//! Which counters follow the requests, judged together: [`judge`].

use std::collections::BTreeMap;

use unladen_lockin::{Family, adjust_families};
use unladen_probe::{CounterId, GroupId, GroupKind, Instrument};

use crate::weigh::row::Row;

/// Judges all counters of all groups of all URLs together; tells how many families that were. A group is looked into if
/// its CPU follows: no counter grows without it. Those on the request's path are judged among themselves: that they
/// take part is known from elsewhere, and they are no guesses among a machine's hundreds of groups. The machine's
/// counters are families of their own. The client is known to follow and is not a discovery.
pub(crate) fn judge(by_url: &mut [Vec<Row<'_>>], instrument: &Instrument) -> usize {
    let mut families: BTreeMap<(usize, GroupId, Option<CounterId>), Vec<&mut Row<'_>>> = BTreeMap::new();
    for (url, rows) in by_url.iter_mut().enumerate() {
        for row in rows.iter_mut().filter(|row| row.group.kind != GroupKind::Own) {
            let own_family = (row.group.kind == GroupKind::Machine).then_some(row.counter);
            families.entry((url, row.group_id, own_family)).or_default().push(row);
        }
    }
    let cpu = instrument.counter_named("cpu");
    for rows in families.values_mut() {
        // The deciding one first; a group without CPU has nothing to decide by, and its first counter is as good.
        rows.sort_by_key(|row| Some(row.counter) != cpu);
    }
    let count = families.len();
    let (on_path, others): (Vec<_>, Vec<_>) =
        families.into_values().partition(|rows| rows.iter().any(|row| row.on_path));
    adjust(on_path);
    adjust(others);
    count
}

/// Each lot among itself.
fn adjust(mut families: Vec<Vec<&mut Row<'_>>>) {
    let p_values: Vec<Family> = families
        .iter()
        .map(|rows| Family {
            deciding: rows[0].weight.p_value,
            others: rows[1..].iter().map(|row| row.weight.p_value).collect(),
        })
        .collect();
    for (rows, adjusted) in families.iter_mut().zip(adjust_families(&p_values)) {
        let adjusted = std::iter::once(adjusted.deciding).chain(adjusted.others);
        for (row, adjusted) in rows.iter_mut().zip(adjusted) {
            row.adjusted_p = adjusted;
        }
    }
}

#[cfg(test)]
mod tests;

//! [`trace`]: some phases for the picture.

use std::time::Duration;

use unladen_lockin::Position;
use unladen_report::PhaseTrace;

use crate::weigh::judge::Row;
use crate::weigh::measured::Measured;
use crate::weigh::recording::{BlockRecord, PhaseRecord};

const TRACED_BLOCKS: usize = 6;
/// Groups drawn that follow; one more is drawn that does not.
const TRACED_GROUPS: usize = 2;

/// The first blocks, phase by phase, with the processors that the busiest groups used. Empty for several URLs, as the
/// blocks of one of them are not adjacent.
pub(crate) fn trace(
    measured: &Measured<'_>,
    url: usize,
    following: &[&Row<'_>],
    other: &[&Row<'_>],
) -> Vec<PhaseTrace> {
    if measured.requests.len() > 1 {
        return Vec::new();
    }
    let blocks = || measured.recording.of_url(url);
    let busy = |row: &Row<'_>| -> u64 {
        blocks().flat_map(|block| &block.phases).map(|phase| phase.of(row.key)).sum::<f64>() as u64
    };
    let busiest = |rows: &[&'_ Row<'_>], most: usize| {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(busy(rows[*index])));
        order.truncate(most);
        order
    };
    let drawn: Vec<&Row<'_>> = (busiest(following, TRACED_GROUPS).into_iter().map(|index| following[index]))
        .chain(busiest(other, 1).into_iter().map(|index| other[index]))
        .collect();
    blocks().take(TRACED_BLOCKS).flat_map(|block| phases(block, &drawn)).collect()
}

fn phases(block: &BlockRecord, drawn: &[&Row<'_>]) -> Vec<PhaseTrace> {
    block.order.positions().iter().zip(&block.phases).map(|(position, phase)| traced(*position, phase, drawn)).collect()
}

fn traced(position: Position, phase: &PhaseRecord, drawn: &[&Row<'_>]) -> PhaseTrace {
    let cores = |row: &Row<'_>| phase.of(row.key) / phase.duration_at(row.key.source).max(1) as f64;
    PhaseTrace {
        is_on: position.is_on(),
        start: Duration::from_nanos(phase.start_ns),
        length: Duration::from_nanos(phase.duration_ns),
        cpu: drawn.iter().map(|row| (row.group.name.clone(), cores(row))).collect(),
    }
}

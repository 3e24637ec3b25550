//! The principal type is [`Row`].

use unladen_lockin::Weight;
use unladen_trace::Interval;

use crate::weigh::catalog::{KnownCounter, KnownGroup, SeriesKey};
use crate::weigh::edge::SeriesKind;

/// One counter of one group for one URL, demodulated.
pub(crate) struct Row<'a> {
    pub(crate) group: &'a KnownGroup,
    pub(crate) counter: &'a KnownCounter,
    pub(crate) key: SeriesKey,
    /// The family that it is judged with, unless that is its group.
    pub(crate) family: Option<&'a str>,
    /// It decides about its family.
    pub(crate) is_deciding: bool,
    pub(crate) weight: Weight,
    pub(crate) on_path: bool,
    pub(crate) adjusted_p: f64,
}

impl Row<'_> {
    pub(crate) fn follows(&self) -> bool {
        self.group.kind != SeriesKind::Own && self.weight.follows(self.adjusted_p)
    }

    /// Whether it could not follow however clearly it grew: the blocks are too few for so many counters.
    pub(crate) fn is_untold(&self) -> bool {
        !self.follows() && self.weight.grows_in_every_block()
    }

    /// Whether it is the CPU of processes, which adds up.
    pub(crate) fn is_cpu(&self) -> bool {
        self.counter.name == "cpu" && matches!(self.group.kind, SeriesKind::Processes | SeriesKind::Own)
    }
}

/// What evidence has of a weight.
pub(crate) fn interval_of(row: &unladen_document::Weight) -> Interval {
    Interval { value: row.per_request, low: row.low, high: row.high }
}

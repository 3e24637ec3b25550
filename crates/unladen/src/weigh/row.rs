//! The principal type is [`Row`].

use unladen_lockin::{Block, Weight};
use unladen_probe::{CounterId, Group, GroupId, GroupKind};

/// One counter of one group of one URL, demodulated.
pub(crate) struct Row<'a> {
    pub(crate) group: &'a Group,
    pub(crate) group_id: GroupId,
    pub(crate) counter: CounterId,
    pub(crate) weight: Weight,
    pub(crate) blocks: Vec<Block>,
    /// The requests were seen to go through the group.
    pub(crate) on_path: bool,
    pub(crate) adjusted_p: f64,
}

// === impl Row ===

impl Row<'_> {
    /// Whether its counter follows the requests.
    pub(crate) fn follows(&self) -> bool {
        self.group.kind != GroupKind::Own && self.weight.follows(self.adjusted_p)
    }
}

//! The principal type is [`Stopped`]: why the blocks of a run ended.

use crate::exit::Failure;

pub(super) enum Stopped {
    /// The budget is spent; if `--until` was not reached, its target and what was.
    Done {
        missed: Option<(f64, f64)>,
    },
    Interrupted,
    Failed(Failure),
}

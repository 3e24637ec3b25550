//! The principal type is [`Judge`]: what two runs are judged with.

use crate::run::Run;
use crate::speed::Clocks;

/// What two runs are judged with.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) before: &'a Run,
    pub(crate) after: &'a Run,
    /// Earlier runs that measured the same, the earliest first.
    pub(crate) past: &'a [&'a Run],
    pub(crate) is_same_machine: bool,
    /// Whether the kinds of reference work disagree.
    pub(crate) disagrees: bool,
    /// The machine's speed in the two runs, where both have reference work that agrees.
    pub(crate) clocks: Option<Clocks>,
}

//! The principal type is [`Judge`]: the data that two runs are judged with.

use crate::run::Run;
use crate::speed::Clocks;

#[derive(Debug)]
pub(crate) struct Judge<'a> {
    pub(crate) before: &'a Run,
    pub(crate) after: &'a Run,
    /// Earlier runs that measured the same, earliest first.
    pub(crate) past: &'a [&'a Run],
    pub(crate) is_same_machine: bool,
    /// Whether the kinds of reference work disagree.
    pub(crate) disagrees: bool,
    /// The machine's speed in both runs, if both have reference work that agrees.
    pub(crate) clocks: Option<Clocks>,
}

impl Judge<'_> {
    /// How much longer times of the later run may be because of more steal, as a logarithm: with a share s less of a
    /// processor, work takes 1 / (1 − s) of the time.
    pub(crate) fn stolen(&self) -> f64 {
        let left = |run: &Run| (1.0 - run.stolen_share).ln();
        left(self.before) - left(self.after)
    }
}

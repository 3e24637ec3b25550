//! Fixes of findings: a [`Remedy`] is one that can be applied, an [`Applied`] one that is in place. `prove` switches
//! them, by the experiment that the finding holds; its journal stays for one that is kept, and is the way back.

mod applied;
mod outcome;
mod planned;
mod remedy;

pub(crate) use applied::{Applied, FixFolder, State, another_may_write};
pub(crate) use outcome::{Outcome, outcome};
pub(crate) use remedy::Remedy;

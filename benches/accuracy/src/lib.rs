//! The proof of accuracy. The principal type is [`Tally`]: of many runs whose truth is known, how many had
//! intervals that cover it, and how far off their estimates were on average.
//!
//! - [`simulate`] drives the planner and the estimator of `unladen-lockin` (the code itself, not a copy), over
//!   synthetic [`background`]s, the way `unladen weigh` does.
//! - [`comparison`] and [`counting`] do the same for comparisons of arms, the way `unladen prove` does.
//! - [`stolen`] does it on a machine whose hypervisor takes time from all arms alike, and tells it in /proc/stat.
//! - [`hosts`] does it for counters of another machine, over a way that takes a while, by a clock that is not ours.
//! - [`psdbench`] is the same for the estimator of a predecessor.
//! - [`real`] runs the built `unladen weigh` and `unladen prove` against `subjects/burn`, whose requests burn a known
//!   time.
//! - [`fleet`] is no proof: it tells what purges of thousands of nodes cost, from what single steps do.
//! - [`findings`] has `unladen weigh` look for faults that `subjects/pledges` commits on purpose.
//!
//! `docs/reference/accuracy.md` says what comes of it; the program of this crate writes its tables, `tables.md`.
//!
//! ```
//! use unladen_accuracy::{background::Kind, simulate};
//!
//! let scene = simulate::Scene::of(Kind::Steady);
//! let tally = simulate::fixed(&scene, 15, 0..50);
//! assert_eq!(tally.runs(), 50);
//! assert!(tally.bias().abs() < 0.02);
//! ```
#![forbid(unsafe_code)]

pub mod background;
pub mod comparison;
pub mod counting;
pub mod document;
pub mod findings;
pub mod fleet;
pub mod hosts;
mod merge;
pub mod psdbench;
mod random;
pub mod real;
pub mod simulate;
pub mod stolen;
pub mod subject;
mod table;
mod tally;

pub use merge::Merge;
pub use table::Table;
pub use tally::{Limits, Shortfall, Tally};

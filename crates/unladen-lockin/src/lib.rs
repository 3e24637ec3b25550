//! The maths of a lock-in measurement. The principal type is [`Weight`]: what one request adds to
//! one cumulative counter, with its 95 % interval and its noise floor.
//!
//! A counter is read at the edges of *phases*; requests run in the `on` phases only. Phases come
//! in *blocks* ([`BlockPlan`]): on-off-off-on or off-on-on-off, chosen by a coin. Whatever the
//! background does, that coin decides the sign with which it enters the block's difference, so the
//! difference is symmetric about what the requests caused. All intervals of weights rest on that
//! symmetry alone, not on a shape of the noise; `docs/concepts/lock-in.md` argues it, with the sources.
//!
//! Arms that run side by side are compared by [`contrast`]: the latencies of each are [`Observations`], its counters
//! [`Counts`], and what is said of a [`Contrast`] is a [`Change`]; `docs/concepts/comparing.md` argues that.
//!
//! Blocks that a hypervisor or a CPU quota spoiled are left out by [`Spoiled`], which sees the machine's account alone;
//! `docs/concepts/steal.md` argues that.
//!
//! Constraints of this crate: no I/O, no clock, no global state, the same seed gives the same
//! plan. Durations are in nanoseconds, counters are `f64` differences of cumulative counts.
//!
//! ```
//! use unladen_lockin::{Block, Order, Phase, Weight};
//!
//! // Twelve blocks of four half-second phases; 20 requests in each `on` phase, each adding 3.
//! let blocks: Vec<Block> = (0..12)
//!     .map(|i| {
//!         let order = if i % 2 == 0 { Order::OnFirst } else { Order::OffFirst };
//!         let background = f64::from(i % 5);
//!         Block::new(order, order.positions().map(|position| Phase {
//!             duration_ns: 500_000_000,
//!             requests: if position.is_on() { 20 } else { 0 },
//!             count: background + if position.is_on() { 60.0 } else { 0.0 },
//!         }))
//!     })
//!     .collect();
//! let weight = Weight::of(&blocks)?;
//! assert_eq!(weight.per_request.value, 3.0);
//! assert!(weight.per_request.low <= 3.0 && 3.0 <= weight.per_request.high);
//! # Ok::<(), unladen_lockin::TooFew>(())
//! ```
#![forbid(unsafe_code)]

mod bill;
mod block;
mod change;
mod contrast;
mod counts;
mod design;
mod discovery;
mod estimate;
mod harrell_davis;
mod observations;
mod plan;
mod quantile;
mod ratio;
mod sample;
mod share;
mod signed_rank;
mod spoiled;
mod student;
mod units;
mod weight;

pub use bill::{Allotment, Bill, Cell, MIN_CELLS, PHASES_PER_CELL};
pub use block::{Block, Phase};
pub use change::{Change, Floor, MARGIN, MARGIN_OF_SHARES, MARGIN_OF_THE_WHOLE, judge, time_needed, time_to_settle};
pub use contrast::{CannotCompare, Contrast, Scale, compare, contrast, interaction, main_effect};
pub use counts::{Counts, contrast_counts};
pub use design::{Arm, Design, MOST_FACTORS, Role};
pub use discovery::{
    FALSE_DISCOVERY_RATE, Family, adjust_comparisons, adjust_families, benjamini_hochberg, blocks_needed,
};
pub use estimate::{Estimate, MIN_BLOCKS, TooFew, Until, Verdict};
pub use observations::Observations;
pub use plan::{BlockPlan, Order, PHASES_PER_BLOCK, Planner, Position, Timing};
pub use quantile::{BlockLatencies, Quantile, samples_needed};
pub use ratio::ratio;
pub use sample::{Measure, Statistic};
pub use share::{DifferenceEstimate, Moments, ShareEstimate, difference, difference_of, share};
pub use spoiled::{Conditions, Spoiled, SpoiledVerdict};
pub use student::{critical as t_critical, p_value as t_p_value};
pub use units::Unit;
pub use weight::Weight;

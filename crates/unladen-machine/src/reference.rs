//! Reference work: short pieces of work that are the same in every run, on every machine, and in every version with the
//! same [`VERSION`]. Their duration shows how fast the machine was. The principal type is [`Interleaved`], which runs
//! them between the blocks of a run.

mod allowance;
mod arithmetic;
mod error;
mod figures;
mod interleaved;
mod kind;
mod memory;
mod mix;
mod sample;
mod system_calls;
mod units;
mod version;
mod work;

pub use error::ReferenceError;
pub use figures::{Figure, Reference};
pub use interleaved::Interleaved;
pub use kind::ReferenceKind;
pub use sample::ReferenceSample;
pub use version::VERSION;
pub use work::ReferenceWork;

//! Load from another host. The principal types are [`LoadAsk`] and [`LoadAnswer`]; [`FarLoad`] is the far end.

mod far_load;
mod message;
mod spool;

pub use far_load::{FarLoad, memory, memory_note};
pub use message::{LoadAnswer, LoadAsk, PiecesError, gathered, pieces};
pub use spool::ROOM;

#[cfg(test)]
mod tests;

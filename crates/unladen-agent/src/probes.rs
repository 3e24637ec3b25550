//! Counters of another host. The principal type is [`FarInstrument`], the near end; [`FarSide`] is the other one.

mod account;
mod connections;
mod far_side;
mod instrument;
mod message;

pub use account::{Account, FarReading};
pub use far_side::FarSide;
pub use instrument::FarInstrument;
pub use message::{FarCounter, FarGrown, FarShortfall, Opened, ProbeAnswer, ProbeAsk};

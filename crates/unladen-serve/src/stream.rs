//! Bodies on their way: where they come from ([`Source`]), where they go to ([`Sink`]), and what carries them over ([`Pump`]).
//! None of them keeps more of a body than one block: whoever is slow holds the other up.

mod pump;
mod sink;
mod source;

pub(crate) use pump::{Pump, PumpError};
pub(crate) use sink::{H1Sink, H2Sink, Sink, SinkError};
pub(crate) use source::{FillingSource, H1Source, H2Source, Source, SourceError};

#[cfg(test)]
mod tests;

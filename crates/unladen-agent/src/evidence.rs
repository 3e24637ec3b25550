//! Activity of processes of another host. The principal type is [`FarInspection`], the near end; [`EvidenceSide`] is
//! the other one.

mod checked;
mod far_side;
mod instrument;
mod message;
mod patience;
mod pieces;
mod room;
mod unable;

pub use checked::{EvidenceError, read_evidence};
pub use far_side::EvidenceSide;
pub use instrument::FarInspection;
pub use message::{EvidenceAnswer, EvidenceAsk, FarLack, Wanted};
pub use patience::Patience;
pub use unable::Unable;

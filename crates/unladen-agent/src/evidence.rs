//! Activity of processes of another host. The principal type is [`FarInspection`], the near end; [`EvidenceSide`] is
//! the other one.

mod checked;
mod far_side;
mod instrument;
mod message;

pub use checked::{EvidenceError, read_evidence};
pub use far_side::EvidenceSide;
pub use instrument::{FarInspection, Patience, Unable};
pub use message::{EvidenceAnswer, EvidenceAsk, FarLack, Wanted};

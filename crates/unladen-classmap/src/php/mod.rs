//! PHP's text, as far as it matters here: what a file declares, and what its constant expressions are.

pub mod constant;
mod declaration;
mod effects;
mod scan;
pub(crate) mod skip;
mod string;
pub(crate) mod token;

pub use declaration::{Declaration, Kind};
pub use effects::only_declares;
pub use scan::{Scan, scan};

//! PHP's syntax, as far as it matters here: a file's declarations and constant expressions.

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

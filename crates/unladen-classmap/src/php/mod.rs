//! PHP's text, as far as it matters here: what a file declares, and what its constant expressions are.

mod declaration;
mod scan;
pub(crate) mod skip;

pub use declaration::{Declaration, Kind};
pub use scan::{Scan, scan};

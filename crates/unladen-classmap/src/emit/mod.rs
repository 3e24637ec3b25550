//! The map as others read it, one file a form.

mod composer;
mod json;
mod php;

pub use composer::composer;
pub use json::{json, problem, relative};
pub use php::php;

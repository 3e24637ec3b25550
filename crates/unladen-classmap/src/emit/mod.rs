//! The map as others read it, one file a form.

mod json;
mod php;

pub use json::{json, problem, relative};
pub use php::php;

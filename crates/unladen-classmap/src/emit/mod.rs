//! Output forms of the map, one file each.

mod composer;
mod json;
mod php;

pub(crate) use php::from;

pub use composer::composer;
pub use json::{json, problem, relative};
pub(crate) use php::string_literal;
pub use php::{php, php_made};

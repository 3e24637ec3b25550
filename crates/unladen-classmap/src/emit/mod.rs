//! Output forms of the map, one file each.

mod composer;
mod json;
mod php;

pub use composer::composer;
pub use json::{json, problem, relative};
pub use php::{php, php_made};

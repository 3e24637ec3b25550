//! The map as others read it, one file a form.

mod php;

pub use php::php;

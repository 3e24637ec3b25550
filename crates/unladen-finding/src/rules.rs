//! The list [`RULES`].

mod sleep;
#[cfg(test)]
mod testing;

use crate::rule::Rule;

/// All rules, in the order in which they are listed.
pub static RULES: &[&dyn Rule] = &[&sleep::Sleep];

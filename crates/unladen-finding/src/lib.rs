//! The rules. The principal type is [`Rule`]: it recognises one pattern of waste in the evidence, explains it, and
//! names its fix.
//!
//! A rule is one file in `rules/`, one line in the list [`RULES`], and one page in `docs/reference/rules/`.
//!
//! ```
//! use unladen_finding::{RULES, look};
//! use unladen_trace::Evidence;
//!
//! let evidence = Evidence::default();
//! assert!(look(&evidence).is_empty(), "nothing was seen, so nothing is found");
//! for rule in RULES {
//!     println!("{}  {}", rule.name(), rule.about());
//! }
//! ```
#![forbid(unsafe_code)]

mod again;
mod application;
mod container;
mod finding;
mod fix;
mod folders;
mod judged;
mod look;
mod named_file;
mod php;
mod rule;
mod rules;
mod share;
mod stack;
mod words;

pub use finding::{Figure, Finding, Item, Share, Whole};
pub use fix::{Fix, Part};
pub use judged::{Unjudged, unjudged};
pub use look::{Unlooked, look, unlooked};
pub use rule::Rule;
pub use rules::{RULES, rule_named};

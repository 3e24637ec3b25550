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
mod experiment;
mod finding;
mod fix;
mod folders;
mod host;
mod in_place;
mod judged;
mod knob;
mod look;
mod means;
mod named_file;
mod part;
mod php;
mod quoting;
mod rule;
mod rules;
mod sent;
mod server;
mod set_again;
mod several;
mod share;
mod stack;
mod uncertain;
mod unjudged;
mod unswitched;
mod words;

pub use again::profile as profile_again;
pub use experiment::experiment;
pub use finding::{Figure, Finding, Item, Removes, Saves, Share, Whole};
pub use fix::{Audience, Fix};
pub use in_place::InPlace;
pub use judged::unjudged;
pub use knob::{Knob, KnobService, KnobSite, Once};
pub use look::{Unlooked, look, unlooked};
pub use part::Part;
pub use quoting::word as shell_word;
pub use rule::Rule;
pub use rules::{RULES, rule_named};
pub use sent::Sent;
pub use unjudged::{Bearing, Unjudged};
pub use unswitched::unswitched;

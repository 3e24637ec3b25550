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
mod experiment;
mod finding;
mod fix;
mod folders;
mod judged;
mod knob;
mod look;
mod means;
mod php;
mod place;
mod quoting;
mod rules;
mod server;
mod stack;
mod unswitched;
mod words;

pub use again::profile as profile_again;
pub use experiment::{Sent, experiment};
pub use finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, Whole};
pub use fix::{Audience, Fix};
pub use judged::{Bearing, Unjudged, unjudged};
pub use knob::{InPlace, Knob, KnobService, KnobSite, Once, Part};
pub use look::{Unlooked, look, unlooked};
pub use quoting::word as shell_word;
pub use rules::{RULES, rule_named};
pub use unswitched::unswitched;

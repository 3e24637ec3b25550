//! TOML whose values know their place. The principal type is [`Table`]: its keys give a [`Value`], which is then asked
//! for an expected type, and gives that, or a [`Bad`] that says what is wrong and where.
//!
//! ```
//! use std::path::Path;
//! use unladen_toml::{BadPlace, Document};
//!
//! let text = "threads = 4\nidle = 90\n";
//! let (document, bads) = Document::parse(text);
//! assert!(bads.is_empty());
//! let table = document.root();
//! assert_eq!(table.get("threads").unwrap().whole(1..=64).unwrap(), 4);
//!
//! let bad = table.get("idle").unwrap().duration(unladen_toml::MILLISECOND..=unladen_toml::DAY).unwrap_err();
//! let shown = BadPlace::new(text, Path::new("unladen.toml"), bad).to_string();
//! assert!(shown.starts_with("unladen.toml:2:8: `idle` is a number: expected a duration"), "{shown}");
//! assert!(shown.ends_with("did you mean \"90s\"?\n 2 | idle = 90\n   |        ^^"), "{shown}");
//! ```
//!
//! Not with serde's derive: a value that may be a string, a table or a list loses its place there, and only the first
//! mistake would be found. A reader's own kinds of mistake are an error type of that reader, as [`Problem::Other`].

#![forbid(unsafe_code)]

mod bad_place;
mod document;
mod hidden;
mod problem;
mod table;
mod value;

pub use bad_place::{BadPlace, Mistakes, Place};
pub use document::Document;
pub use problem::{Bad, Problem, meant, nearest};
pub use table::Table;
pub use value::{DAY, MILLISECOND, Value, bytes_text};

#[cfg(test)]
mod tests;

//! Result documents for readers without a terminal, and for programs. The principal type is [`Publication`], one file
//! per format, in the list [`PUBLICATIONS`].
//!
//! Everything is made from documents read back ([`unladen_document::Document`]), so old runs are published like new
//! ones. This crate computes nothing: every figure arrives with its interval and its noise floor.
//!
//! ```
//! use unladen_publish::publication_named;
//!
//! assert!(publication_named("telegram").is_none());
//! ```
#![forbid(unsafe_code)]

mod classes;
mod columns;
mod compared;
mod comparison_text;
mod figures;
pub mod html;
mod junit;
mod markdown;
mod page;
mod place;
mod publication;
mod result;
mod sarif;
mod verdict;
mod visible;

pub use columns::columns;
pub use comparison_text::comparison_text;
pub use publication::{Publication, RunPicture};
pub use visible::{visible, visible_lines};

/// All formats, in the order of the help. Options of commands are made of this list.
pub const PUBLICATIONS: &[&dyn Publication] = &[&html::Html, &markdown::Markdown, &junit::Junit, &sarif::Sarif];

/// Finds a format by its name.
pub fn publication_named(name: &str) -> Option<&'static dyn Publication> {
    PUBLICATIONS.iter().copied().find(|publication| publication.name() == name)
}

#[cfg(test)]
mod tests;

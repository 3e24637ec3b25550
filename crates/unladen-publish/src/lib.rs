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
mod command_line;
mod comparison_text;
mod figures;
pub mod html;
mod junit;
mod markdown;
mod place;
mod publication;
mod publications;
mod run_picture;
mod sarif;
mod undecided;
mod verdict;
mod visible;

pub use columns::columns;
pub use comparison_text::comparison_text;
pub use publication::Publication;
pub use publications::{PUBLICATIONS, publication_named};
pub use run_picture::RunPicture;
pub use visible::{visible, visible_lines};

#[cfg(test)]
mod tests;

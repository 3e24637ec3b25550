//! Result documents as others read them: who has no terminal, or is no person. The principal type is [`Publication`], one
//! file a format, in the list [`PUBLICATIONS`].
//!
//! Everything is made of documents that were read back ([`unladen_document::Document`]), so that a run of last year is
//! published as one of today. This crate computes nothing: every figure comes with its interval and its noise floor.
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

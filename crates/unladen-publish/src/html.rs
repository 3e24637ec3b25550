//! HTML: one file per run that needs no network. The principal type is [`Html`]; [`document_page`] makes the page of a
//! document.
//!
//! A page is a list of sections of [`block::Block`]s, made by one file a kind of document, and written by templates
//! that escape whatever they are given ([`escape`]).

mod block;
mod escape;
mod finding;
mod latency;
mod load;
mod load_pictures;
mod method;
mod page;
mod picture;
mod policy;
mod table;
mod weigh;
mod words;
mod document;

pub use document::{PageOptions, RunPicture, document_page};

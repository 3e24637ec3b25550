//! Results made of documents that were kept, so that formats show them once more. The principal type is [`Again`].
//!
//! What a document does not have (the course of each phase) is not in the result either; texts that a result makes of
//! figures (warnings) are as the document has them.

use unladen_document::Document;

use crate::inside::Inside;
use crate::load::Load;
use crate::profile::{ProfileDiff, Profiled};
use crate::prove::Prove;
use crate::weigh::Weigh;

mod figure;
mod inside;
mod load;
mod name;
mod profile;
mod prove;
mod titles;
mod weigh;

pub use name::known_name;
pub use titles::Titles;

/// A result that was read back.
#[derive(Debug)]
pub enum Again {
    /// Of `unladen weigh`.
    Weigh(Box<Weigh>),
    /// Of `unladen weigh --from`: what was found alone.
    Inside(Vec<Inside>),
    /// Of `unladen load`.
    Load(Box<Load>),
    /// Of `unladen prove`.
    Prove(Box<Prove>),
    /// Of `unladen profile`.
    Profile(Box<Profiled>),
    /// Of `unladen profile diff`.
    ProfileDiff(Box<ProfileDiff>),
}

impl Again {
    /// The result of a document; none of one that is no measurement's.
    pub fn of(document: &Document, titles: Titles) -> Option<Self> {
        Some(match document {
            Document::Weigh(document) if document.urls.is_empty() => Self::Inside(inside::pages(document)),
            Document::Weigh(document) => Self::Weigh(Box::new(weigh::weigh(document, titles))),
            Document::Load(document) => Self::Load(Box::new(load::load(document))),
            Document::Prove(document) => Self::Prove(Box::new(prove::prove(document, titles))),
            Document::Profile(document) => Self::Profile(Box::new(profile::profile(document))),
            Document::ProfileDiff(document) => Self::ProfileDiff(Box::new(profile::diff(document))),
            Document::ClassmapCheck(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests;

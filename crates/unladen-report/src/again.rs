//! The principal type is [`Again`]: results rebuilt from stored documents, so that formats can show them again.
//!
//! What a document lacks (the course of each phase) the result lacks too. Warnings that a result derives from figures
//! are taken from the document as they are.

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

/// A result read back from its document.
#[derive(Debug)]
pub enum Again {
    Weigh(Box<Weigh>),
    Inside(Vec<Inside>),
    Load(Box<Load>),
    Prove(Box<Prove>),
    Profile(Box<Profiled>),
    ProfileDiff(Box<ProfileDiff>),
}

impl Again {
    /// The result in a document; `None` if the document is not of a measurement.
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

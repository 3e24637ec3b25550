//! The principal types are [`Format`], a way to write results, and [`Report`], a result. Each format has its own folder,
//! with one file for each result, and an entry in `formats.rs`.

use std::io::{self, Write};

use unladen_document::{About, BillDocument, Document, LoadDocument, ProveDocument};

use crate::inside::Inside;
use crate::profile::{ProfileDiff, Profiled};
use crate::style::Style;
use crate::weigh::Weigh;

/// Writes results.
pub trait Format: Sync {
    fn name(&self) -> &'static str;

    /// Purpose in half a line.
    fn about(&self) -> &'static str;

    /// Fails only if `out` does.
    fn write(&self, report: Report<'_>, style: Style, out: &mut dyn Write) -> io::Result<()>;
}

/// The result of a command.
#[derive(Debug, Clone, Copy)]
pub enum Report<'a> {
    Weigh(&'a Weigh),
    /// What the rules find in an earlier run's evidence: `unladen weigh --replay`.
    Inside(&'a [Inside], &'a About),
    Load(&'a LoadDocument),
    Prove(&'a ProveDocument),
    Profile(&'a Profiled),
    ProfileDiff(&'a ProfileDiff),
    Bill(&'a BillDocument),
}

impl Report<'_> {
    /// As it is kept, and as everything published is made of it.
    pub fn document(self) -> Document {
        match self {
            Self::Weigh(result) => Document::Weigh(Box::new(result.document())),
            Self::Inside(pages, about) => Document::Weigh(Box::new(Inside::document(pages, about))),
            Self::Load(result) => Document::Load(Box::new(result.clone())),
            Self::Prove(result) => Document::Prove(Box::new(result.clone())),
            Self::Profile(result) => Document::Profile(Box::new(result.document.clone())),
            Self::ProfileDiff(result) => Document::ProfileDiff(Box::new(result.document.clone())),
            Self::Bill(result) => Document::Bill(Box::new(result.clone())),
        }
    }
}

/// Writes a kept document as its command did; nothing of one that is of no measurement.
///
/// What a document lacks (the course of each phase, stacks) is left out.
///
/// # Errors
/// Fails only if `out` does.
pub fn write_kept(document: &Document, format: &dyn Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match document {
        Document::Weigh(kept) if kept.urls.is_empty() => {
            format.write(Report::Inside(&Inside::kept_pages(kept), &kept.about), style, out)
        }
        Document::Weigh(kept) => format.write(Report::Weigh(&Weigh::kept(kept)), style, out),
        Document::Load(kept) => format.write(Report::Load(kept), style, out),
        Document::Prove(kept) => format.write(Report::Prove(kept), style, out),
        Document::Profile(kept) => format.write(Report::Profile(&Profiled::kept(kept)), style, out),
        Document::ProfileDiff(kept) => format.write(Report::ProfileDiff(&ProfileDiff::kept(kept)), style, out),
        Document::Bill(kept) => format.write(Report::Bill(kept), style, out),
        Document::ClassmapCheck(_) => Ok(()),
    }
}

//! The principal type is [`Publication`].

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

/// A picture from a run, such as a flame graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunPicture {
    pub title: String,
    /// An SVG document.
    pub svg: String,
}

/// An output format for others. Its methods fail only if `out` does.
pub trait Publication: Send + Sync {
    /// As in options: `html`, `markdown`.
    fn name(&self) -> &'static str;

    /// A sentence on who reads it.
    fn about(&self) -> &'static str;

    /// File name extensions without dots, the usual one first.
    fn endings(&self) -> &'static [&'static str];

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()>;

    /// Writes a result with pictures of the run, if the format has room for them.
    fn illustrated(&self, document: &Document, _: &[RunPicture], out: &mut dyn Write) -> io::Result<()> {
        self.document(document, out)
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()>;
}

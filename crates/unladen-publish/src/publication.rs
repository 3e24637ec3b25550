//! The principal type is [`Publication`].

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::run_picture::RunPicture;

/// A format that others read.
pub trait Publication: Send + Sync {
    /// As options name it: `html`, `markdown`.
    fn name(&self) -> &'static str;

    /// A sentence: who reads it.
    fn about(&self) -> &'static str;

    /// What a file of it ends with, the usual one first, without dots: `html`.
    fn endings(&self) -> &'static [&'static str];

    /// Writes the result of one run.
    ///
    /// # Errors
    /// Those of writing.
    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()>;

    /// Likewise with pictures of the run, where the format has room for them.
    ///
    /// # Errors
    /// Those of writing.
    fn illustrated(&self, document: &Document, _: &[RunPicture], out: &mut dyn Write) -> io::Result<()> {
        self.document(document, out)
    }

    /// Writes two runs, side by side.
    ///
    /// # Errors
    /// Those of writing.
    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()>;
}

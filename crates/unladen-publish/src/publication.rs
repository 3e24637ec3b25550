//! The principal type is [`Publication`].

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

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

    /// Writes two runs, side by side.
    ///
    /// # Errors
    /// Those of writing.
    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()>;
}

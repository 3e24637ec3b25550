//! HTML: one file per run, without network access. The principal type is [`Html`]; [`document_page`] writes the page of
//! a document.
//!
//! A page is a list of sections, from one file for each kind of document, and written by templates that escape
//! everything.
//!
//! ```
//! use unladen_document::Document;
//! use unladen_publish::html::{PageOptions, document_page};
//!
//! let document = Document::read(br#"{"schema": "unladen.load/1", "target": "http://localhost/?<script>", "fit": true}"#)?;
//! let page = document_page(&document, &PageOptions::default());
//! assert!(page.contains("<h1>http://localhost/?&lt;script&gt;</h1>"));
//! assert!(page.contains("Content-Security-Policy"));
//! # Ok::<(), unladen_document::DocumentError>(())
//! ```

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::publication::Publication;
use crate::run_picture::RunPicture;

mod agents;
mod block;
mod classmap;
mod comparison;
mod document;
mod escape;
mod finding;
mod gates;
mod latency;
mod load;
mod load_pictures;
mod method;
mod page;
mod picture;
mod policy;
mod profile;
mod prove;
mod prove_metric;
mod prove_pictures;
mod runs;
mod table;
mod trend;
mod weigh;
mod words;

pub use comparison::comparison_page;
pub use document::{PageOptions, document_page};
pub use policy::policy;
pub use runs::{RunRow, RunsFilter, RunsPage, error_page, in_query, runs_page};
pub use trend::trend_page;

/// An HTML document that loads nothing and sends nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Publication for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn about(&self) -> &'static str {
        "a report in one file, for any browser: to be read, searched, printed and mailed"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(document_page(document, &PageOptions::default()).as_bytes())
    }

    fn illustrated(&self, document: &Document, pictures: &[RunPicture], out: &mut dyn Write) -> io::Result<()> {
        let options = PageOptions { pictures: pictures.to_vec(), ..PageOptions::default() };
        out.write_all(document_page(document, &options).as_bytes())
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(comparison_page(comparison, &PageOptions::default()).as_bytes())
    }
}

#[cfg(test)]
pub(crate) mod tests;

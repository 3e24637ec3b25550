//! HTML: one file per run, without network access. The principal type is [`Html`]; [`document_page`] writes the page of
//! a document.
//!
//! Pages are written by templates that escape everything.
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

use crate::page::policy::{POLICY, base64};
use crate::page::{Block, Room, Section, rendered};
use crate::publication::{Publication, RunPicture};
use crate::result;

mod runs;
mod trend;

pub use runs::{RunRow, RunsFilter, RunsPage, error_page, in_query, runs_page};
pub use trend::trend_page;

/// Maximum size of an embedded picture in bytes.
const MOST_PICTURE: usize = 2 << 20;

/// An HTML document that loads nothing and sends nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

/// Additions to a document's page.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// Links at the top, on a site of many pages: path of the site, and text.
    pub nav: Vec<(String, String)>,
    /// Pictures of the run, such as flame graphs. They are shown as images, in which nothing runs.
    pub pictures: Vec<RunPicture>,
    /// Whether runs have their own pages: on a site they do, for a single file it is unknown.
    pub links_runs: bool,
}

impl Publication for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn about(&self) -> &'static str {
        "a report in one file, for any browser: to read, search, print and mail"
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

/// The report of one run, as an HTML document that loads nothing.
pub fn document_page(document: &Document, options: &PageOptions) -> String {
    let mut page = result::page(document);
    page.nav.clone_from(&options.nav);
    let fitting = options.pictures.iter().filter(|picture| picture.svg.len() <= MOST_PICTURE);
    let images = fitting.map(|picture| Block::Image { title: picture.title.clone(), data: base64(&picture.svg) });
    let blocks: Vec<Block> = images.collect();
    if !blocks.is_empty() {
        let section = Section { id: "pictures", title: "Flame graphs", blocks, room: Room::Nothing };
        let at = page.sections.iter().position(|section| section.id == "method").unwrap_or(page.sections.len());
        page.sections.insert(at, section);
    }
    rendered(&page)
}

/// Two runs side by side, as an HTML document that loads nothing.
pub fn comparison_page(comparison: &Comparison, options: &PageOptions) -> String {
    let mut page = result::comparison::page(comparison);
    page.nav.clone_from(&options.nav);
    rendered(&page)
}

/// The policy in every page, for servers: a header may repeat it and add `frame-ancestors`, which a page cannot set
/// itself.
pub fn policy() -> &'static str {
    POLICY.as_str()
}

#[cfg(test)]
pub(crate) mod tests;

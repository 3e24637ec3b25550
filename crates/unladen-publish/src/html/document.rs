//! The page of one document. The principal function is [`document_page`].

use unladen_document::Document;

use super::block::Block;
use super::page::{Page, rendered};
use super::policy::base64;
use super::words::Words;
use super::{classmap, load, method, profile, prove, weigh};
use crate::run_picture::RunPicture;

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

/// Maximum size of an embedded picture in bytes.
const MOST_PICTURE: usize = 2 << 20;

/// The report of one run, as an HTML document that loads nothing.
pub fn document_page(document: &Document, options: &PageOptions) -> String {
    let mut page = of(document);
    answers(document, &mut page);
    page.byline = method::byline(document.about());
    if let Some(version) = &document.about().version {
        page.version.clone_from(version);
    }
    page.nav.clone_from(&options.nav);
    let fitting = options.pictures.iter().filter(|picture| picture.svg.len() <= MOST_PICTURE);
    let images = fitting.map(|picture| Block::Image { title: picture.title.clone(), data: base64(&picture.svg) });
    let images: Vec<Block> = images.collect();
    if !images.is_empty() {
        let section = super::page::Section { id: "pictures", title: "Flame graphs".to_owned(), blocks: images };
        let at = page.sections.iter().position(|section| section.id == "method").unwrap_or(page.sections.len());
        page.sections.insert(at, section);
    }
    rendered(&page)
}

/// Before all figures: the answer, and why it may not be the intended one.
fn answers(document: &Document, page: &mut Page) {
    let Some(summary) = page.sections.first_mut() else { return };
    let answers = document.answers();
    let mut blocks = Vec::new();
    // With several pages, each is named in a table.
    if let [(_, only)] = answers.as_slice() {
        blocks.push(Block::Aside(only.told().into()));
    }
    for (arm, answer) in answers {
        let name = if arm.is_empty() { &answer.request } else { arm };
        let doubts = answer.doubts.iter().map(|doubt| Words::new().name(name).plain(format!(": {doubt}")));
        blocks.extend(doubts.map(|doubt| Block::Notice("warn", doubt)));
    }
    summary.blocks.splice(0..0, blocks);
}

fn of(document: &Document) -> Page {
    match document {
        Document::Weigh(document) => weigh::page(document),
        Document::Load(document) => load::page(document),
        Document::Prove(document) => prove::page(document),
        Document::Profile(document) => profile::page(document),
        Document::ProfileDiff(document) => profile::diff_page(document),
        Document::ClassmapCheck(document) => classmap::page(document),
    }
}

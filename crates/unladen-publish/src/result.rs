//! Results as pages: each kind of document, and a comparison, is turned into blocks once, whatever format they are
//! written in. The principal function is [`page`].

use unladen_document::Document;

use crate::page::words::Words;
use crate::page::{Block, Page};

mod bill;
mod classmap;
pub(crate) mod comparison;
mod load;
mod load_pictures;
pub(crate) mod method;
mod parts;
mod profile;
mod prove;
mod prove_pictures;
pub(crate) mod weigh;

/// The report of one run.
pub(crate) fn page(document: &Document) -> Page {
    let mut page = match document {
        Document::Weigh(document) => weigh::page(document),
        Document::Load(document) => load::page(document),
        Document::Prove(document) => prove::page(document),
        Document::Profile(document) => profile::page(document),
        Document::ProfileDiff(document) => profile::diff_page(document),
        Document::Bill(document) => bill::page(document),
        Document::ClassmapCheck(document) => classmap::page(document),
    };
    answers(document, &mut page);
    page.byline = method::byline(document.about());
    if let Some(version) = &document.about().version {
        page.version.clone_from(version);
    }
    page
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

//! The principal type is [`Page`]: a self-contained document.

use askama::Template;

use super::block::Block;
use super::escape::address;
use super::policy::{POLICY, SCRIPT, STYLE};
use super::words::Words;

#[derive(Debug, Clone, Template)]
#[template(path = "page.html")]
pub(super) struct Page {
    /// Kind of document: `weigh`.
    pub(super) kicker: String,
    pub(super) title: String,
    /// Below the title: time, place and revision.
    pub(super) byline: Words,
    /// Links at the top, on a site of many pages.
    pub(super) nav: Vec<(String, String)>,
    pub(super) sections: Vec<Section>,
    /// Version of Unladen.
    pub(super) version: String,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

impl Page {
    /// Minimum number of sections for a table of contents.
    const CONTENTS_FROM: usize = 3;

    pub(super) fn new(kicker: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            kicker: kicker.into(),
            title: title.into(),
            byline: Words::new(),
            nav: Vec::new(),
            sections: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    pub(super) fn section(&mut self, id: &'static str, title: &str, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.sections.push(Section { id, title: title.to_owned(), blocks });
        }
    }

    fn address(&self, to: &str) -> Option<String> {
        address(to)
    }

    fn has_contents(&self) -> bool {
        self.sections.len() >= Self::CONTENTS_FROM
    }
}

/// Renders into memory, which cannot fail.
pub(super) fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

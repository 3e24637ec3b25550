//! The principal type is [`Block`]: a piece of a section.

use askama::Template;

use super::finding::FindingView;
use super::picture::Picture;
use super::table::Table;
use super::words::Words;

#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "block.html")]
pub(super) enum Block {
    Paragraph(Words),
    Aside(Words),
    /// Most important: its class (`good`, `bad`, `warn`) and its text.
    Notice(&'static str, Words),
    Heading(Words),
    List(Vec<Words>),
    /// Largest first.
    Numbered(Vec<Words>),
    Tiles(Vec<Tile>),
    Facts(Vec<(String, Words)>),
    Table(Box<Table>),
    Pictures(Vec<Picture>),
    Findings(Vec<FindingView>),
    /// To be copied.
    Code(String),
    /// Of interest to few readers: title and content.
    Folded(Words, Vec<Block>),
    /// A template's, such as a form.
    Markup(String),
    /// Self-contained pictures in base64: as images they can run nothing.
    Image {
        title: String,
        data: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tile {
    pub(super) title: String,
    pub(super) value: String,
    pub(super) note: Words,
}

impl Tile {
    pub(super) fn new(title: &str, value: impl Into<String>, note: impl Into<Words>) -> Self {
        Self { title: title.to_owned(), value: value.into(), note: note.into() }
    }
}

/// Adds blocks that have content.
pub(super) trait Blocks {
    fn table(&mut self, table: Table);
    fn pictures(&mut self, pictures: Vec<Picture>);
    fn list(&mut self, items: Vec<Words>);
}

impl Blocks for Vec<Block> {
    fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.push(Block::Table(Box::new(table)));
        }
    }

    fn pictures(&mut self, pictures: Vec<Picture>) {
        if !pictures.is_empty() {
            self.push(Block::Pictures(pictures));
        }
    }

    fn list(&mut self, items: Vec<Words>) {
        if !items.is_empty() {
            self.push(Block::List(items));
        }
    }
}

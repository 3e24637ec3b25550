//! The principal type is [`Block`]: what a section is made of.

use askama::Template;

use super::finding::FindingView;
use super::picture::Picture;
use super::table::Table;
use super::words::Words;

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "block.html")]
pub(super) enum Block {
    Paragraph(Words),
    /// Said beside the matter.
    Aside(Words),
    /// To be known before all else: its class (`good`, `bad`, `warn`) and what it says.
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
    /// What few readers want to see: its title and its content.
    Folded(Words, Vec<Block>),
    /// Of a template: a form.
    Markup(String),
    /// Files that draw themselves, in base64: a picture can run nothing.
    Image {
        title: String,
        data: String,
    },
}

/// A figure that stands out.
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

/// Adds what has content.
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

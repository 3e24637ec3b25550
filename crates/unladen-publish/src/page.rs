//! The principal type is [`Page`]: a result for people, as sections of blocks. HTML and Markdown are written of it.
//!
//! Templates write HTML, and escape everything; the other formats have no room for some blocks, which say so.

use askama::Template;
use unladen_document::Finding;

pub(crate) mod escape;
pub(crate) mod finding;
pub(crate) mod picture;
pub(crate) mod policy;
pub(crate) mod table;
pub(crate) mod words;

use escape::address;
use finding::FindingView;
use picture::Picture;
use policy::{POLICY, SCRIPT, STYLE};
use table::Table;
use words::Words;

#[derive(Debug, Clone, Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    /// Kind of document: `weigh`.
    kicker: &'static str,
    title: String,
    /// Both in a sentence, for formats that have one line for them.
    pub(crate) headline: Words,
    /// Below the title: time, place and revision.
    pub(crate) byline: Words,
    /// Links at the top, on a site of many pages.
    pub(crate) nav: Vec<(String, String)>,
    pub(crate) sections: Vec<Section>,
    /// Version of Unladen.
    pub(crate) version: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) blocks: Vec<Block>,
    pub(crate) room: Room,
}

/// How much of a section formats with little room show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The summary has no title there.
    Summary,
    All,
    /// Only the title, until the reader asks for more.
    Folded,
    /// It is HTML's alone.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "block.html")]
pub(crate) enum Block {
    Paragraph(Words),
    Aside(Words),
    /// Most important: its class (`good`, `bad`, `warn`) and its text.
    Notice(&'static str, Words),
    Heading(Words),
    List(Vec<Words>),
    Facts(Vec<(String, Words)>),
    Table(Box<Table>),
    Findings(Vec<FindingView>),
    /// To be copied.
    Code(String),
    /// Of interest to few readers: title and content.
    Folded(Words, Vec<Block>),
    /// HTML's alone: figures of sentences and tables, larger.
    Tiles(Vec<Tile>),
    /// HTML's alone.
    Pictures(Vec<Picture>),
    /// HTML's alone: what to do, largest first, and where on the page the rest is: title and items.
    ToDo(&'static str, Vec<Words>, Words),
    /// HTML's alone. A template's, such as a form.
    Markup(String),
    /// HTML's alone. Self-contained pictures in base64: as images they can run nothing.
    Image {
        title: String,
        data: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tile {
    title: String,
    value: String,
    note: Words,
}

impl Page {
    /// Minimum number of sections for a table of contents.
    const CONTENTS_FROM: usize = 3;

    pub(crate) fn new(kicker: &'static str, title: impl Into<String>) -> Self {
        Self {
            kicker,
            title: title.into(),
            headline: Words::new(),
            byline: Words::new(),
            nav: Vec::new(),
            sections: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    pub(crate) fn summary(&mut self, blocks: Vec<Block>) {
        self.with("summary", "In short", blocks, Room::Summary);
    }

    pub(crate) fn section(&mut self, id: &'static str, title: &'static str, blocks: Vec<Block>) {
        self.with(id, title, blocks, Room::All);
    }

    pub(crate) fn folded(&mut self, id: &'static str, title: &'static str, blocks: Vec<Block>) {
        self.with(id, title, blocks, Room::Folded);
    }

    pub(crate) fn html_alone(&mut self, id: &'static str, title: &'static str, blocks: Vec<Block>) {
        self.with(id, title, blocks, Room::Nothing);
    }

    /// A list of remarks.
    pub(crate) fn remarks(&mut self, id: &'static str, title: &'static str, remarks: &[String]) {
        let mut blocks = Vec::new();
        blocks.list(remarks.iter().map(|remark| remark.as_str().into()).collect());
        self.section(id, title, blocks);
    }

    fn with(&mut self, id: &'static str, title: &'static str, blocks: Vec<Block>, room: Room) {
        if !blocks.is_empty() {
            self.sections.push(Section { id, title, blocks, room });
        }
    }

    fn address(&self, to: &str) -> Option<String> {
        address(to)
    }

    fn has_contents(&self) -> bool {
        self.sections.len() >= Self::CONTENTS_FROM
    }
}

impl Tile {
    pub(crate) fn new(title: &str, value: impl Into<String>, note: impl Into<Words>) -> Self {
        Self { title: title.to_owned(), value: value.into(), note: note.into() }
    }
}

/// Adds blocks that have content.
pub(crate) trait Blocks {
    fn table(&mut self, table: Table);
    fn folded(&mut self, title: impl Into<Words>, table: Table);
    fn tiles(&mut self, tiles: Vec<Tile>);
    fn pictures(&mut self, pictures: Vec<Picture>);
    fn list(&mut self, items: Vec<Words>);
}

impl Blocks for Vec<Block> {
    fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.push(Block::Table(Box::new(table)));
        }
    }

    fn folded(&mut self, title: impl Into<Words>, table: Table) {
        if !table.is_empty() {
            self.push(Block::Folded(title.into(), vec![Block::Table(Box::new(table))]));
        }
    }

    fn tiles(&mut self, tiles: Vec<Tile>) {
        if !tiles.is_empty() {
            self.push(Block::Tiles(tiles));
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

/// A section of one table.
pub(crate) fn of_table(table: Table) -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.table(table);
    blocks
}

/// A section of findings; set `names_page` if there are several pages.
pub(crate) fn of_findings(findings: &[Finding], names_page: bool) -> Vec<Block> {
    let views = FindingView::all(findings, names_page);
    if views.is_empty() { Vec::new() } else { vec![Block::Findings(views)] }
}

/// Renders into memory, which cannot fail.
pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

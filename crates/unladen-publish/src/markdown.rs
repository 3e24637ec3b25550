//! Markdown, for comments of GitHub and GitLab and for step summaries: [`Markdown`].

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::page::finding::FindingView;
use crate::page::table::{Cell, Table};
use crate::page::words::{Part, Words};
use crate::page::{Block, Page, Room};
use crate::publication::Publication;
use crate::result;
use crate::visible::shortened;

mod inert;
mod sheet;

use inert::{code, code_html, fence, further, html, prose};
use sheet::Sheet;

/// Maximum size of a result. A GitHub comment has at most 65,536 characters, and those who post one add something above
/// it; a step summary has at most 1 MiB for all steps together, and a GitLab comment 1 MiB.
const MOST_BYTES: usize = 60_000;
/// Maximum bytes of a block's words; own sentences stay far below.
const BLOCK: usize = 12_000;
/// Maximum characters of a finding's title.
const TITLE: usize = 120;

pub(crate) struct Markdown;

impl Publication for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn about(&self) -> &'static str {
        "for a comment on GitHub or GitLab, or a step summary, of at most 60 kB"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(written(&result::page(document)).as_bytes())
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(written(&result::comparison::page(comparison)).as_bytes())
    }
}

fn written(page: &Page) -> String {
    let mut sheet = Sheet::new(MOST_BYTES);
    sheet.part(&format!("## {}", text(&page.headline)));
    if !page.byline.is_empty() {
        sheet.part(&text(&page.byline));
    }
    for section in &page.sections {
        match section.room {
            Room::Summary => blocks(&section.blocks, "", &mut sheet),
            Room::All => {
                sheet.part(&format!("### {}", section.title));
                blocks(&section.blocks, section.title, &mut sheet);
            }
            Room::Folded => sheet.details(section.title, |sheet| blocks(&section.blocks, section.title, sheet)),
            Room::Nothing => {}
        }
    }
    sheet.finish()
}

/// `title` is that above all of them.
fn blocks(blocks: &[Block], title: &str, sheet: &mut Sheet) {
    for block in blocks {
        match block {
            Block::Paragraph(words) | Block::Aside(words) | Block::Notice(_, words) => sheet.part(&text(words)),
            Block::Heading(words) => sheet.part(&format!("#### {}", text(words))),
            Block::List(items) => sheet.list(items.iter().map(text)),
            Block::Facts(facts) => {
                sheet.list(facts.iter().map(|(name, words)| format!("{}: {}", prose(name), text(words))));
            }
            Block::Table(table) => self::table(table, title, sheet),
            Block::Findings(all) => findings(all, sheet),
            Block::Code(lines) => sheet.part(&fence(lines)),
            Block::Folded(title, inner) => {
                sheet.details(&in_tags(title), |sheet| self::blocks(inner, &title.text(), sheet));
            }
            Block::Tiles(_) | Block::Pictures(_) | Block::ToDo(..) | Block::Markup(_) | Block::Image { .. } => {}
        }
    }
}

fn text(words: &Words) -> String {
    let part = |(index, part): (usize, &Part)| {
        let prose = if index == 0 { prose } else { further };
        match part {
            Part::Plain(text) | Part::Faint(text) | Part::Link(_, text) | Part::Mark("even", text) => prose(text),
            // Stars beside a space would be stars.
            Part::Strong(text) | Part::Mark(_, text) => match text.trim_end() {
                "" => String::new(),
                strong => format!("**{}**{}", prose(strong), if strong.len() < text.len() { " " } else { "" }),
            },
            Part::Name(name) => code(name),
        }
    };
    within_a_block(words.parts.iter().enumerate().map(part))
}

/// Parts up to the length of a block: a foreign text of many names would fill the report.
fn within_a_block(parts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for part in parts {
        if all.len() + part.len() > BLOCK {
            all.push('…');
            break;
        }
        all.push_str(&part);
    }
    all
}

/// Within tags, where Markdown does not apply.
fn in_tags(words: &Words) -> String {
    let part = |part: &Part| match part {
        Part::Name(name) => code_html(name),
        Part::Plain(text) | Part::Faint(text) | Part::Link(_, text) | Part::Strong(text) | Part::Mark(_, text) => {
            html(text)
        }
    };
    within_a_block(words.parts.iter().map(part))
}

fn table(table: &Table, title: &str, sheet: &mut Sheet) {
    let columns: Vec<usize> = (0..table.columns.len()).filter(|column| !table.has_bars(column)).collect();
    let head = columns.iter().map(|column| &table.columns[*column]);
    let rows = table.rows.iter().take(sheet::Table::MOST);
    let cells = |row: &Vec<Cell>| columns.iter().filter_map(|at| row.get(*at)).map(|cell| text(&cell.words)).collect();
    let mut written = sheet::Table {
        caption: String::new(),
        head: head.map(|column| (prose(&column.title), column.is_number)).collect(),
        rows: rows.map(cells).collect(),
        more: table.rows.len().saturating_sub(sheet::Table::MOST) + table.left_out,
    };
    if table.is_detail {
        return sheet.details(&in_tags(&table.caption), |sheet| sheet.table(&written));
    }
    // It may say again what the title has said.
    if !title.starts_with(&table.caption.text()) {
        written.caption = format!("{}:", text(&table.caption));
    }
    sheet.table(&written);
}

/// A table of all, then each with its evidence and fix, folded away.
fn findings(findings: &[FindingView], sheet: &mut Sheet) {
    let head = ["rule", "what was found", "its cost", "its fix"];
    let row = |finding: &FindingView| {
        let of = if finding.of.is_empty() { String::new() } else { format!(" ({})", text(&finding.of)) };
        vec![code(&finding.rule), text(&finding.summary) + &of, text(&finding.takes), text(&finding.saves)]
    };
    sheet.table(&sheet::Table {
        head: head.map(|title| (title.to_owned(), false)).to_vec(),
        rows: findings.iter().map(row).collect(),
        ..sheet::Table::default()
    });
    for finding in findings {
        let advice = finding.advice.text();
        // Advice has reservations after its first part.
        let advice = advice.split([':', ';']).next().unwrap_or_default();
        let title = format!("{}. {} {}", finding.number, code_html(&finding.rule), html(&shortened(advice, TITLE)));
        sheet.details(title.trim(), |sheet| one(finding, sheet));
    }
}

fn one(finding: &FindingView, sheet: &mut Sheet) {
    sheet.list(finding.figures.iter().map(|figure| prose(figure)));
    sheet.list(finding.items.iter().map(|(name, count)| format!("{} × {count}", code(name))));
    if finding.more_items > 0 {
        sheet.part(&format!("and {} more, in the JSON document", finding.more_items));
    }
    sheet.part(&format!("**Fix**: {}", text(&finding.advice)));
    if let Some(same) = finding.same_as {
        sheet.part(&format!("The lines are the same as for finding {same}."));
    }
    for (label, lines) in &finding.parts {
        sheet.part(&format!("{}\n\n{}", text(label), fence(lines)));
    }
    if !finding.developers.is_empty() {
        sheet.part(&format!("Besides, {}", prose(&finding.developers)));
    }
    if !finding.check_again.is_empty() {
        sheet.part(&format!("Check again:\n\n{}", fence(&finding.check_again)));
    }
}

#[cfg(test)]
mod tests;

//! What was examined, [`counts`], and what was not judged, [`not_judged`].

use unladen_document::{Count, WeighDocument};
use unladen_quantity::{Kind, plain};

use crate::figures::{self, capital};
use crate::html::block::{Block, Blocks};
use crate::html::table::{Cell, Table};
use crate::html::words::Words;

pub(super) fn not_judged(document: &WeighDocument) -> Vec<Block> {
    let names_page = document.urls.len() > 1;
    let page = |url: &str| if names_page && !url.is_empty() { format!("{url}: ") } else { String::new() };
    let mut items: Vec<Words> = Vec::new();
    for part in &document.not_judged {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It takes {}.", part.takes) };
        let mut words = Words::new().plain(page(&part.url)).strong(capital(&part.what));
        words = words.plain(format!(" was not judged: {}.{takes}", part.why));
        if !part.rules.is_empty() {
            words = words.faint(format!(" Rules that may have missed something: {}.", part.rules.join(", ")));
        }
        items.push(words);
    }
    for part in &document.not_looked_for {
        let takes = if part.takes.is_empty() { String::new() } else { format!(" It takes {}.", part.takes) };
        let words = Words::new().plain(page(&part.url)).strong(part.rules.join(", "));
        items.push(words.plain(format!(
            " {} not looked for: {}.{takes}",
            if part.rules.len() == 1 { "was" } else { "were" },
            part.why
        )));
    }
    if document.lost_events > 0 {
        let lost = figures::count(document.lost_events, "event");
        items.push(
            format!("{lost} of tracing were lost: counts of files, queries and connections may be too low.").into(),
        );
    }
    match &document.left_behind {
        None if !document.weights.is_empty() => {
            items.push("Files that requests leave behind were not looked for.".into());
        }
        None => {}
        Some(folders) => items.extend(folders.iter().map(|left| {
            Words::new()
                .plain(format!(
                    "Left behind: {}, {}, in ",
                    figures::count(left.files, "file"),
                    plain(Kind::Bytes, left.bytes as f64)
                ))
                .name(left.folder.clone())
        })),
    }
    let mut blocks = Vec::new();
    blocks.list(items);
    blocks
}

// --- Counted ---

pub(super) fn counts(document: &WeighDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (state, caption) in
        [("warm", "What a request does"), ("fresh", "What the first request of a fresh process does")]
    {
        let rows: Vec<&Count> = document.counts.iter().filter(|count| count.state == state).collect();
        if rows.is_empty() {
            continue;
        }
        let mut table = Table::new(caption, &["group", "what", "#per request", "#noise floor"]).sortable();
        for count in rows {
            let value = figures::with_margin(Kind::Count, count.per_request, count.low, count.high);
            let value = if count.invalid { format!("{value} (too low)") } else { value };
            table.row([
                Words::new().name(count.group.clone()).into(),
                Words::new().name(count.counter.clone()).into(),
                Cell::new(value).by(count.per_request),
                Cell::new(plain(Kind::Count, count.noise_floor)).by(count.noise_floor),
            ]);
        }
        blocks.push(Block::Folded(caption.into(), vec![Block::Table(Box::new(table))]));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::Aside("Counts come from tracing, after the timing was done.".into()));
    }
    blocks
}

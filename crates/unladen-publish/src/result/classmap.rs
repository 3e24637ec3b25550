//! The page of `unladen classmap --check`: whether the map is up to date, and what is wrong with the classes.

use unladen_document::{ClassPlace, ClassmapCheckDocument};
use unladen_quantity::grouped;

use super::method::{Fact, fact, method};
use crate::classes::Kind;
use crate::figures::classes;
use crate::page::table::{Cell, Table};
use crate::page::words::{Words, joined};
use crate::page::{Block, Blocks, Page, Tile, of_table};

pub(super) fn page(document: &ClassmapCheckDocument) -> Page {
    let mut page = Page::new("class map", document.root.clone());
    page.headline = Words::new().plain("Class map of ").name(document.root.clone());
    page.summary(summary(document));
    page.section("differences", "The map and the application", differences(document));
    page.section("duplicates", "Declared in several files", of_table(duplicates(document)));
    page.section("violations", "Not where PSR-4 or PSR-0 expects them", of_table(violations(document)));
    page.section("problems", "Problems", of_table(problems(document)));
    page.folded("method", "Method and machine", method(&document.about, facts(document)));
    page
}

fn summary(document: &ClassmapCheckDocument) -> Vec<Block> {
    let differences = document.differences.as_ref().map_or(0, |differences| differences.count());
    let (class, said) = match (&document.differences, document.current) {
        (_, true) if document.is_broken() => ("bad", "The map is up to date, but the check is strict."),
        (_, true) => ("good", "The map is up to date."),
        (None, _) => ("bad", "There is no map yet."),
        (Some(_), _) if differences == 0 => {
            ("bad", "The map has the right classes, but was written by another version of Unladen, or edited.")
        }
        _ => ("bad", "The map is out of date."),
    };
    let mut words = Words::new().strong(said);
    if !document.current {
        words = words.plain(" Write it again with ").name("unladen classmap").plain(".");
    }
    let mut blocks = vec![Block::Notice(class, words)];
    let counts = [
        (Kind::Duplicate, document.duplicates.len()),
        (Kind::Violation, document.violations.len()),
        (Kind::Problem, document.problems.len()),
    ];
    let said = counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| {
        Words::new().strong(grouped(*count as f64, 0)).plain(format!(" × {}: {}", kind.about(), kind.advice()))
    });
    blocks.list(said.collect());
    let mut tiles = vec![Tile::new(
        "Classes",
        grouped(document.class_count as f64, 0),
        "that an up-to-date map would \
        have",
    )];
    tiles.push(Tile::new("Differences", grouped(differences as f64, 0), ""));
    tiles.extend(
        [("In several files", 0), ("Misplaced", 1), ("Problems", 2)]
            .map(|(title, index)| Tile::new(title, grouped(counts[index].1 as f64, 0), "")),
    );
    blocks.tiles(tiles);
    blocks
}

fn differences(document: &ClassmapCheckDocument) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (kind, places) in document.differences.iter().flat_map(|differences| differences.kinds()) {
        let has_moved = places.iter().any(|place| place.now.is_some());
        let heads: &[&str] = if has_moved { &["class", "in the map", "found in"] } else { &["class", "file"] };
        let mut table = Table::new(format!("{kind}: {}", classes(places.len() as u64)), heads).sortable();
        for place in places {
            table.row(row(place, has_moved));
        }
        blocks.table(table);
    }
    blocks
}

fn row(place: &ClassPlace, has_moved: bool) -> Vec<Cell> {
    let class = Words::new().name(place.class.clone()).into();
    match (&place.now, has_moved) {
        (Some(now), _) => vec![class, Words::new().name(place.path.clone()).into(), at(now, place.line)],
        (None, true) => vec![class, at(&place.path, place.line), Cell::default()],
        (None, false) => vec![class, at(&place.path, place.line)],
    }
}

/// `src/Cart.php:12`
fn at(path: &str, line: Option<u32>) -> Cell {
    let line = line.map_or(String::new(), |line| format!(":{line}"));
    Words::new().name(format!("{path}{line}")).into()
}

fn duplicates(document: &ClassmapCheckDocument) -> Table {
    let mut table = Table::new("The file that PHP uses, and why", &["class", "wins", "why", "also in"]).sortable();
    for one in &document.duplicates {
        let others = one.others.iter().enumerate().map(|(index, path)| {
            let line = one.other_lines.get(index).copied().flatten();
            Words::new().name(line.map_or_else(|| path.clone(), |line| format!("{path}:{line}")))
        });
        let wins = match &one.wins {
            Some(wins) => Words::new().name(wins.clone()),
            None => "none is used".into(),
        };
        table.row([
            Words::new().name(one.class.clone()).into(),
            wins.into(),
            Cell::new(one.why.as_str()),
            joined(others.collect(), ", ").into(),
        ]);
    }
    table
}

fn violations(document: &ClassmapCheckDocument) -> Table {
    let mut table = Table::new("Where a loader looks for them", &["class", "is in", "expected in"]).sortable();
    for one in &document.violations {
        table.row([
            Words::new().name(one.class.clone()).into(),
            at(&one.path, one.line),
            Words::new().name(one.expected.clone()).into(),
        ]);
    }
    table
}

fn problems(document: &ClassmapCheckDocument) -> Table {
    let mut table =
        Table::new("Files that could not be read, and lists that name missing files", &["file", "problem"]).sortable();
    for one in &document.problems {
        let hides = if one.hides { Words::new().mark("bad", "may hide classes") } else { Words::new() };
        let what = Words::new().plain(one.what.clone());
        let what = if hides.is_empty() { what } else { what.plain(" ").and(hides) };
        table.row([at(&one.path, one.line), what.into()]);
    }
    table
}

fn facts(document: &ClassmapCheckDocument) -> Vec<Fact> {
    let mut facts = vec![
        fact("Application", Words::new().name(document.root.clone())),
        fact("Map", Words::new().name(document.map.clone())),
    ];
    let loaders = document.loaders.iter().map(|loader| Words::new().plain(loader.clone())).collect();
    facts.push(fact("Loaders, in PHP's order", joined(loaders, ", ")));
    let strict = if document.strict { "any duplicate, violation or problem fails the check" } else { "no" };
    facts.push(fact("Strict", strict));
    facts
}

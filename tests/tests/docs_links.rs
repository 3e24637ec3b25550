//! What the documentation promises a reader who walks it: every link leads somewhere, every page can be reached, and
//! what a newcomer reads first is short and narrow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Columns of prose; tables, code and what cannot be broken (a line of one word) may be longer.
const COLUMNS: usize = 120;
/// A screen or two: whoever wants more follows a link.
const README_LINES: usize = 140;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// All Markdown files below a folder, sorted.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// The pages whose links are followed: those at the top, all of `docs/`, and the subjects'.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "subjects/README.md"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    pages.extend(pages_below(&root.join("docs")));
    pages
}

/// The lines of a page that are not code: each with its number, from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        match fence {
            Some(mark) if trimmed.starts_with(mark) => fence = None,
            Some(_) => {}
            None if trimmed.starts_with("```") => fence = Some("```"),
            None if trimmed.starts_with("~~~") => fence = Some("~~~"),
            None if line.starts_with("    ") && !is_list_continued(&lines) => {}
            None => lines.push((index + 1, line)),
        }
    }
    lines
}

/// Is the last line of prose part of a list? An indented line after it is then prose too, and no code.
fn is_list_continued(lines: &[(usize, &str)]) -> bool {
    lines.last().is_some_and(|(_, line)| {
        let line = line.trim_start();
        let numbered =
            line.split_once(". ").is_some_and(|(number, _)| number.chars().all(|digit| digit.is_ascii_digit()));
        numbered
            || line.starts_with("- ")
            || line.starts_with("* ")
            || lines.last().is_some_and(|(_, line)| line.starts_with("  "))
    })
}

/// A line without its inline code: what is in there is no link.
fn without_code(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find('`') {
        let ticks = rest[at..].chars().take_while(|tick| *tick == '`').count();
        let mark = &rest[at..at + ticks];
        kept.push_str(&rest[..at]);
        let after = &rest[at + ticks..];
        match after.find(mark) {
            Some(end) => rest = &after[end + ticks..],
            None => {
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// The targets of links and pictures, `[text](target)`, with their line. A text may span lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let lines = prose(text);
    let mut found = Vec::new();
    let cleaned: Vec<(usize, String)> = lines.iter().map(|(number, line)| (*number, without_code(line))).collect();
    for (number, line) in &cleaned {
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            let Some(end) = target.find(')') else { continue };
            found.push((*number, target[..end].to_owned()));
        }
    }
    found
}

/// The anchors of a page, as GitHub makes them of its headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|letter| match letter {
                ' ' => Some('-'),
                letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
                _ => None,
            })
            .collect();
        let count = seen.entry(slug.clone()).or_insert(0);
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

fn is_elsewhere(target: &str) -> bool {
    ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
}

/// The page or folder that a link of `page` leads to, and its anchor.
fn target_of(page: &Path, target: &str) -> (PathBuf, Option<String>) {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (target, None),
    };
    let path = if path.is_empty() { page.to_owned() } else { page.parent().unwrap().join(path) };
    (path, anchor)
}

fn named(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (line, link) in links(&text) {
            if is_elsewhere(&link) {
                continue;
            }
            let (path, anchor) = target_of(&page, &link);
            if !path.exists() {
                broken.push(format!("{}:{line}: {link}: there is no such file", named(&page)));
                continue;
            }
            let Some(anchor) = anchor else { continue };
            let there = std::fs::read_to_string(&path).map(|text| anchors(&text)).unwrap_or_default();
            if !there.contains(&anchor) {
                broken.push(format!("{}:{line}: {link}: no heading of that page has this anchor", named(&page)));
            }
        }
    }
    assert!(broken.is_empty(), "{} links lead nowhere:\n{}", broken.len(), broken.join("\n"));
}

/// A link to a folder reaches its pages, as a listing of them is what it shows.
#[test]
fn every_page_is_reached_from_the_readme() {
    let all: BTreeSet<PathBuf> = pages_below(&root().join("docs")).into_iter().collect();
    let mut to_read = vec![root().join("README.md")];
    let mut reached = BTreeSet::new();
    while let Some(page) = to_read.pop() {
        if !reached.insert(page.clone()) {
            continue;
        }
        let text = std::fs::read_to_string(&page).unwrap();
        for (_, link) in links(&text) {
            let Ok(path) = target_of(&page, &link).0.canonicalize() else { continue };
            if path.is_dir() {
                to_read.extend(all.iter().filter(|page| page.parent() == Some(&path)).cloned());
            } else if path.extension().is_some_and(|ending| ending == "md") {
                to_read.push(path);
            }
        }
    }
    let lost: Vec<String> = all.difference(&reached).map(|page| named(page)).collect();
    assert!(lost.is_empty(), "no links from README.md lead to: {}", lost.join(", "));
}

#[test]
fn what_a_newcomer_reads_is_narrow() {
    let root = root();
    let mut pages = vec![root.join("README.md"), root.join("docs/getting-started.md")];
    pages.extend(pages_below(&root.join("docs/guides")));
    let mut wide = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for (number, line) in prose(&text) {
            let columns = line.chars().count();
            let is_prose = !line.trim_start().starts_with('|') && line.trim().contains(' ');
            if is_prose && columns > COLUMNS {
                wide.push(format!("{}:{number}: {columns} columns", named(&page)));
            }
        }
    }
    assert!(wide.is_empty(), "prose is wider than {COLUMNS} columns:\n{}", wide.join("\n"));
}

#[test]
fn the_readme_is_short() {
    let lines = std::fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines, and {README_LINES} are what a newcomer reads");
}

#[test]
fn links_and_headings_are_found() {
    let page = "# The `[[site]]`, and Co.\n## Same\n## Same\n[a](b.md#c) and `[no](code.md)`\n```\n[no](fence.md)\n# no\n```\n- x\n  [d](e.md)\n";
    let found: Vec<String> = links(page).into_iter().map(|(_, link)| link).collect();
    assert_eq!(found, ["b.md#c", "e.md"]);
    assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), ["same", "same-1", "the-site-and-co"]);
}

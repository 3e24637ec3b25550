//! Names as drawn: without characters invalid in documents, and cut to the available room.

use unladen_quantity::is_unseen;

use crate::frame::{Frame, FrameKind};

const UNKNOWN: char = '\u{fffd}';
/// Longer names are cut: nobody reads more, and the file would repeat them for each box.
const LONGEST: usize = 400;

/// Removes control characters, which XML forbids even escaped, and cuts at the longest readable length.
pub(super) fn clean(text: &str) -> String {
    // Some would also affect the text beside the name.
    let is_shown = |c: char| !c.is_control() && !is_unseen(c);
    let mut clean: String = text.chars().take(LONGEST).map(|c| if is_shown(c) { c } else { UNKNOWN }).collect();
    if text.chars().nth(LONGEST).is_some() {
        clean.push('…');
    }
    clean
}

/// Cleaned and escaped for XML text and quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let clean = clean(text);
    let mut escaped = String::with_capacity(clean.len());
    for c in clean.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

pub(super) fn of(frame: Frame<'_>) -> &str {
    if frame.name.is_empty() { "(no name)" } else { frame.name }
}

/// `Autoloader.php:12`, or nothing for a file's own code, which is named after it.
pub(super) fn place(frame: Frame<'_>) -> String {
    let is_named_so = frame.kind == FrameKind::Include && frame.file == frame.name;
    match (frame.file, frame.line) {
        ("", _) => String::new(),
        _ if is_named_so => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

/// The part of a name that fits: the end of one with several parts, as the most telling. The script does the same
/// (`fit`).
pub(super) fn fit(name: &str, columns: usize) -> Option<String> {
    const FEWEST: usize = 3;
    let name = clean(name);
    if columns < FEWEST {
        return None;
    }
    if width(&name) <= columns {
        return Some(name);
    }
    let mut last = name.as_str();
    for (at, separator) in separators(&name) {
        last = &name[at + separator.len()..];
        if !last.is_empty() && width(last) < columns {
            return Some(format!("…{last}"));
        }
    }
    let last = if last.is_empty() { name.as_str() } else { last };
    let mut cut = String::new();
    for c in last.chars() {
        if width(&cut) + columns_of(c) >= columns {
            break;
        }
        cut.push(c);
    }
    Some(format!("{cut}…"))
}

fn separators(name: &str) -> impl Iterator<Item = (usize, &'static str)> {
    const SEPARATORS: [&str; 3] = ["\\", "::", "/"];
    let at =
        |(at, _)| SEPARATORS.iter().find(|separator| name[at..].starts_with(**separator)).map(|found| (at, *found));
    name.char_indices().filter_map(at)
}

/// Columns of a text; wide characters take two.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(c: char) -> usize {
    // Start of East Asian scripts and pictures.
    if c >= '\u{1100}' && c != UNKNOWN && !('\u{2000}'..='\u{23ff}').contains(&c) { 2 } else { 1 }
}

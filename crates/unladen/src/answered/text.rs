//! Makes text of a page from outside inert: [`inert`], [`title`], [`words`].

use unladen_load::Unpacked;
use unladen_quantity::is_unseen;

/// Most characters of a title or of first words.
const LONGEST: usize = 60;
/// Elements whose content is not read as text.
const UNREAD: [&str; 5] = ["script", "style", "template", "noscript", "svg"];
/// Entities common in titles; others stay as they are.
const ENTITIES: [(&str, char); 14] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("middot", '·'),
    ("hellip", '…'),
];

/// UTF-8, else Latin-1, in which every byte is a character.
pub(super) fn decoded(unpacked: &Unpacked) -> String {
    let content = &unpacked.content;
    match std::str::from_utf8(content) {
        Ok(text) => text.to_owned(),
        // Cut within a character.
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&content[..error.valid_up_to()]).into_owned()
        }
        Err(_) => content.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// One line of bounded length without control characters, marks of direction and invisible characters.
pub(crate) fn inert(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || is_unseen(c);
    // No more is needed, however long the text is.
    let shown: String = text.chars().take(LONGEST * 20).map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

fn find(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    text.windows(what.len()).position(|window| window.eq_ignore_ascii_case(what))
}

pub(super) fn title(html: &str) -> Option<String> {
    let mut rest = html;
    loop {
        rest = &rest[find(rest, "<title")? + "<title".len()..];
        if rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace()) {
            break;
        }
    }
    let rest = &rest[rest.find('>')? + 1..];
    let title = &rest[..find(rest, "</title").unwrap_or(rest.len())];
    Some(inert(&plain(title))).filter(|title| !title.is_empty())
}

/// The visible text of a page, at most about `most` bytes.
pub(super) fn read_text(html: &str, most: usize) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        text.push(' ');
        if text.len() > most {
            return plain(&text);
        }
        rest = &rest[at + 1..];
        let end = if rest.starts_with("!--") { rest.find("-->").map(|at| at + 2) } else { rest.find('>') };
        let Some(end) = end else { return plain(&text) };
        let is_of = |name: &&&str| {
            rest.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name))
                && !rest[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let unread = UNREAD.iter().find(is_of);
        rest = &rest[end + 1..];
        if let Some(name) = unread {
            rest = find(rest, &format!("</{name}")).map_or("", |at| &rest[at..]);
        }
    }
    text.push_str(rest);
    plain(&text)
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name = rest.split(';').next().filter(|name| name.len() < 10 && name.len() < rest.len());
        let letter = name.and_then(|name| match name.strip_prefix('#') {
            Some(number) => {
                let hex = number.strip_prefix(['x', 'X']);
                let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
                char::from_u32(code)
            }
            None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter),
        });
        match (name, letter) {
            (Some(name), Some(letter)) => {
                plain.push(letter);
                rest = &rest[name.len() + 1..];
            }
            _ => plain.push('&'),
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests;

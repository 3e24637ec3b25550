//! [`readable`]: a page of the documentation, as a terminal shows it.

use unladen_report::{Style, filled};

/// Paragraphs and entries of lists are filled to the terminal's width, and markup is taken off; code and tables stay.
pub(super) fn readable(page: &str, style: Style) -> String {
    let (mut lines, mut paragraph) = (Vec::new(), Vec::<&str>::new());
    for line in page.lines().chain([""]) {
        let is_verbatim = line.starts_with("    ") || line.starts_with('|');
        let heading = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'));
        let begins = line.is_empty() || line.starts_with("- ") || is_verbatim || heading.is_some();
        if begins {
            flush(&mut paragraph, style, &mut lines);
        }
        match heading {
            Some(heading) => {
                lines.extend(filled(heading, usize::from(style.width)).iter().map(|line| style.heading(line)));
            }
            None if line.starts_with('|') => lines.push(plain(line)),
            None if line.is_empty() || is_verbatim => lines.push(line.to_owned()),
            None => paragraph.push(line.trim()),
        }
    }
    lines.join("\n")
}

fn flush(paragraph: &mut Vec<&str>, style: Style, lines: &mut Vec<String>) {
    let text = std::mem::take(paragraph).join(" ");
    if text.is_empty() {
        return;
    }
    let text = plain(&text);
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let filled = filled(&text, usize::from(style.width).saturating_sub(indent.len()));
    lines.extend(
        filled.into_iter().enumerate().map(|(index, line)| if index == 0 { line } else { format!("{indent}{line}") }),
    );
}

/// Without the markup of links and emphasis, except in code: addresses on the web stay.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (index, piece) in text.split('`').enumerate() {
        if index > 0 {
            plain.push('`');
        }
        // A star between blanks is a sign of its own.
        let is_code = index % 2 == 1;
        plain.push_str(&if is_code {
            piece.to_owned()
        } else {
            piece.replace(" * ", " \0 ").replace('*', "").replace('\0', "*")
        });
    }
    // The words of a link may be code.
    while let Some((start, middle, end)) = link(&plain) {
        let (words, address) = (&plain[start + 1..middle], &plain[middle + 2..end]);
        let instead = if address.starts_with("http") { format!("{words} ({address})") } else { words.to_owned() };
        plain.replace_range(start..=end, &instead);
    }
    plain
}

/// Of the first `[words](address)`: where its brackets are.
fn link(text: &str) -> Option<(usize, usize, usize)> {
    let middle = text.find("](")?;
    let start = text[..middle].rfind('[')?;
    let end = middle + text[middle..].find(')')?;
    Some((start, middle, end))
}

#[cfg(test)]
mod tests;

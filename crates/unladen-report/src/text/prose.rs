//! Sentences, wrapped to the width of the terminal.

use std::io::{self, Write};

use unladen_document::Answer;
use unladen_quantity::is_unseen;

use crate::style::{MARKS, Style};

/// Maximum number of requests whose doubts are shown: further ones are alike.
const MOST_DOUBTS: usize = 3;

pub(super) fn warnings(warnings: &[String], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for warning in warnings {
        wrapped(warning, style, out)?;
    }
    Ok(())
}

/// The answer, and why it may not be the intended one, before any figure.
pub(super) fn answer(title: &str, answer: &Answer, style: Style, out: &mut dyn Write) -> io::Result<()> {
    aside(&format!("{title}{}", answer.told()), style, out)?;
    answer.doubts.iter().try_for_each(|doubt| wrapped(doubt, style, out))
}

/// The same for several requests: those in doubt; for a single one always.
pub(super) fn answers(answers: &[Answer], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if let [only] = answers {
        return answer("", only, style, out);
    }
    let doubted = answers.iter().flat_map(|answer| answer.doubts.iter().map(move |doubt| (answer, doubt)));
    doubted.take(MOST_DOUBTS).try_for_each(|(answer, doubt)| {
        wrapped(&format!("{} ({}): {doubt}", answer.request, answer.told()), style, out)
    })
}

/// No mention of files does not prove that none were left.
pub(super) fn files_unseen(style: Style, out: &mut dyn Write) -> io::Result<()> {
    paragraph(
        "Left behind: files were not looked for (`unladen weigh` does, as root and with its findings).",
        style,
        out,
    )?;
    writeln!(out)
}

/// Suffix to how requests were sent; empty if cookies were sent back, as browsers do.
pub(super) fn cookies(kept: bool) -> &'static str {
    if kept { "" } else { ", no cookies kept" }
}

/// Says that the run ended early, before any figure of `what` it had until then.
pub(super) fn cut_short(ended: &str, failed: &str, what: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let how = match ended {
        "interrupted" => "interrupted",
        "failed" => failed,
        _ => return Ok(()),
    };
    writeln!(out, "{}", style.warn(&format!("{how}: these are the {what} until then")))
}

/// The same with an empty line below, if there are any.
pub(super) fn remarks(remarks: impl IntoIterator<Item = String>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let remarks: Vec<String> = remarks.into_iter().collect();
    warnings(&remarks, style, out)?;
    if remarks.is_empty() { Ok(()) } else { writeln!(out) }
}

pub(super) fn paragraph(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    dressed(text, str::to_owned, style, out)
}

/// A sentence and an empty line.
pub(super) fn sentence(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    paragraph(text, style, out)?;
    writeln!(out)
}

/// Replaces control characters and those that nobody sees: names and messages come from outside, and could control the terminal
/// or reverse the text after them.
pub(super) fn clean(text: &str) -> String {
    // Cells of tables have their marks by then.
    text.chars().map(|c| if c.is_control() || (is_unseen(c) && !MARKS.contains(&c)) { ' ' } else { c }).collect()
}

pub(super) fn aside(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    dressed(text, |line| style.faint(line), style, out)
}

/// A wrapped text, of which each line is formatted.
pub(super) fn dressed(text: &str, dress: impl Fn(&str) -> String, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = fill(&clean(text), usize::from(style.width), style);
    lines.iter().try_for_each(|line| writeln!(out, "{}", dress(line)))
}

/// A wrapped remark, with its mark.
pub(super) fn wrapped(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    marked(text, usize::MAX, style, out)
}

/// A warning in at most so many lines.
pub(super) fn marked(text: &str, most: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = few(&clean(text), usize::from(style.width).saturating_sub(2), most, style);
    for (index, line) in lines.iter().enumerate() {
        let mark = if index == 0 { style.warn("!") } else { " ".to_owned() };
        writeln!(out, "{mark} {line}")?;
    }
    Ok(())
}

/// Breaks a text into lines of at most `width` characters, at blanks.
pub(super) fn fill(text: &str, width: usize, style: Style) -> Vec<String> {
    filled(&style.text(text), width)
}

/// Like `fill`, with at most so many lines: where there were more, the last one ends in an ellipsis.
pub(super) fn few(text: &str, width: usize, most: usize, style: Style) -> Vec<String> {
    let mut lines = fill(text, width, style);
    if lines.len() <= most {
        return lines;
    }
    lines.truncate(most);
    if let Some(last) = lines.last_mut() {
        let ellipsis = style.text("…");
        let kept = width.saturating_sub(ellipsis.chars().count());
        *last = format!("{}{ellipsis}", last.chars().take(kept).collect::<String>().trim_end());
    }
    lines
}

/// Like `fill`, with all characters kept.
pub fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

//! What is wrong with an application's files, as it is told: [`tell`].

use unladen_classmap::Problem;

use crate::say::say;

/// Problems that are shown by name where others are counted.
const SHOWN_PROBLEMS: usize = 10;

/// A line in which names of files and classes, whoever chose them, tell a terminal nothing: control characters are
/// written out.
pub(super) fn plain_text(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() { plain.extend(letter.escape_default()) } else { plain.push(letter) }
    }
    plain
}

/// Tells what is wrong, the worst first; beyond a few, how many more.
pub(super) fn tell(problems: &[Problem]) {
    let mut order: Vec<_> = problems.iter().collect();
    order.sort_by_key(|problem| !problem.hides);
    for problem in order.iter().take(SHOWN_PROBLEMS) {
        say!("unladen: {}", plain_text(&problem.to_string()));
    }
    if let Some(more) = order.len().checked_sub(SHOWN_PROBLEMS).filter(|more| *more > 0) {
        say!("unladen: and {more} more: `unladen classmap --check` lists them");
    }
}

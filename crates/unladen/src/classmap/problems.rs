//! Tells what is wrong with an application's files: [`tell`].

use unladen_classmap::Problem;

use crate::say::say;

/// Problems shown by name; the rest is counted.
const SHOWN_PROBLEMS: usize = 10;

/// Writes out control characters, so that names of files and classes cannot control a terminal.
pub(super) fn plain_text(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() { plain.extend(letter.escape_default()) } else { plain.push(letter) }
    }
    plain
}

/// Prints the problems, the worst first, then the number of further ones.
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

//! Words about files and classes, for people: numbers, and [`tell`], what is wrong with them.

use unladen_classmap::Problem;
use unladen_quantity::is_unseen;
use unladen_report::{Kind, Quantity};

use crate::say::say;

pub(super) fn count(many: usize) -> String {
    Quantity { kind: Kind::Count, value: many as f64, margin: 0.0 }.value_text()
}

/// `1 class`, `2 classes`.
pub(super) fn counted(many: usize, one: &str, several: &str) -> String {
    format!("{} {}", count(many), if many == 1 { one } else { several })
}

/// Problems shown by name; the rest is counted.
const SHOWN_PROBLEMS: usize = 10;

/// Writes out characters that nobody sees, so that names of files and classes cannot control a terminal.
pub(super) fn plain_text(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() || is_unseen(letter) {
            plain.extend(letter.escape_default());
        } else {
            plain.push(letter);
        }
    }
    plain
}

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

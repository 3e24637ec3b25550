//! [`known_name`]: names that results take for constants of the program.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Names that were met.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The most names of a process: those of counters, rules and kinds of errors are some hundreds. Documents come from
/// elsewhere, too.
const MOST: usize = 100_000;

/// The name, for as long as the process lives: names of counters, rules and units are constants in results, and a
/// document of another version may have others. Each is kept once.
pub fn known_name(text: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(text) {
        return known;
    }
    if names.len() >= MOST {
        return "…";
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests;

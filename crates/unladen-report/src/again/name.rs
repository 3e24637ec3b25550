//! [`known_name`]: gives names from documents the lifetime that results expect of constants.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Maximum number of names in a process. Counters, rules and kinds of errors have some hundreds, but documents may come
/// from elsewhere.
const MOST: usize = 100_000;

/// The name with the lifetime of the process: names of counters, rules and units are constants in results, and a
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

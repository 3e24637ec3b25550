//! What a file declares, by one pass over its bytes. The principal function is [`scan`].

mod alias;
mod contents;
mod names;
mod walk;
mod words;

pub use contents::Scan;

/// What `source`, the bytes of a PHP file, declares: wherever in the file, in functions and behind conditions too. A
/// class without a name is nothing that could be loaded, and a `class_alias` whose second name depends on more than
/// this file is left out.
pub fn scan(source: &[u8]) -> Scan {
    match words::Word::next(source, 0) {
        Some(first) => walk::Walk::new(source, first).run(),
        None => Scan::default(),
    }
}

#[cfg(test)]
mod tests;

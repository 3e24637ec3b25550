//! What a file declares, by one pass over its bytes. The principal function is [`scan`].

mod alias;
mod contents;
mod names;
mod walk;
mod words;

pub use contents::Scan;

/// The declarations in `source`, the bytes of a PHP file: anywhere, in functions and behind conditions too. Anonymous
/// classes cannot be autoloaded, and a `class_alias` whose second name depends on more than this file is left out.
pub fn scan(source: &[u8]) -> Scan {
    match words::Word::next(source, 0) {
        Some(first) => walk::Walk::new(source, first).run(),
        None => Scan::default(),
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Strings`]: a table of strings, as formats have it that name each string once.

use std::collections::HashMap;

/// Strings, each once, by their indices.
#[derive(Default)]
pub(super) struct Strings {
    pub(super) in_order: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Strings {
    /// That of a string, which is added if it is new.
    pub(super) fn index(&mut self, string: &str) -> usize {
        if let Some(index) = self.indices.get(string) {
            return *index;
        }
        let index = self.in_order.len();
        self.in_order.push(string.to_owned());
        self.indices.insert(string.to_owned(), index);
        index
    }
}

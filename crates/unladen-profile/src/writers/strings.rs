//! The principal type is [`Strings`]: a table of distinct strings.

use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Strings {
    pub(super) in_order: Vec<String>,
    indices: HashMap<String, usize>,
}

impl Strings {
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

//! The principal type is [`Prepared`]: a connection's prepared statements, by name.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// For each connection; the oldest is forgotten first.
const MAX_STATEMENTS: usize = 512;
/// For each connection.
const MAX_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) truncated: bool,
}

/// Texts by name, in bounded memory.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    texts: HashMap<Vec<u8>, Text>,
    order: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Prepared {
    pub(super) fn insert(&mut self, name: &[u8], text: Text) {
        self.bytes += cost(name, &text);
        if let Some(old) = self.texts.insert(name.to_vec(), text) {
            self.bytes -= cost(name, &old);
            self.order.retain(|own| own != name);
        }
        self.order.push_back(name.to_vec());
        while self.texts.len() > MAX_STATEMENTS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.forget(&oldest);
        }
    }

    pub(super) fn get(&self, name: &[u8]) -> Option<&Text> {
        self.texts.get(name)
    }

    pub(super) fn remove(&mut self, name: &[u8]) {
        self.forget(name);
        self.order.retain(|own| own != name);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn forget(&mut self, name: &[u8]) {
        if let Some(old) = self.texts.remove(name) {
            self.bytes -= cost(name, &old);
        }
    }
}

fn cost(name: &[u8], text: &Text) -> usize {
    name.len() + text.bytes.len()
}

/// SQL sent over a connection, once the message that executes it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// As sent, as far as it was seen. For an execution the prepared text; `EXECUTE name` (PostgreSQL) or `EXECUTE
    /// statement id` (MySQL) if that was not seen.
    pub text: &'a [u8],
    /// Hash of text and values. Comparable within one run of this program.
    pub identity: u64,
    /// Text or values were not all seen.
    pub truncated: bool,
    /// It was prepared, whether executed or not.
    pub prepared: bool,
    /// Parsed without execution, by a message of its own. Its execution will be a separate statement.
    pub parse_only: bool,
}

pub(super) fn identity(text: &[u8], values: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, values).hash(&mut hasher);
    hasher.finish()
}

/// Hash of values: their seen bytes and total length.
pub(super) fn values(bytes: &[u8], total: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (bytes, total).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;

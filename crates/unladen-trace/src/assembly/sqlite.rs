//! The principal type is [`Sqlite`]: statements given to SQLite's library.

use std::collections::HashMap;

use super::moment::Moment;
use super::statements::{Key, Statements, hash};
use crate::evidence::QueryProtocol;

/// Replaces the database's name, which the library is not given with the statement.
const DATABASE: &str = "SQLite";
const MAX_PREPARED: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Sqlite {
    /// By process, and by the statement's handle in it.
    prepared: HashMap<u32, HashMap<u64, Prepared>>,
    count: usize,
    dropped: u64,
}

#[derive(Debug)]
struct Prepared {
    text: Vec<u8>,
    /// Values are bound to it, unseen.
    has_placeholders: bool,
    running: Option<Key>,
    /// Time of preparing, added to the first execution.
    owed_ns: u64,
}

impl Sqlite {
    #[allow(clippy::too_many_arguments, reason = "the parts of one event, taken apart where it is read")]
    pub(super) fn prepared(
        &mut self,
        group: usize,
        pid: u32,
        statement: u64,
        sql: &[u8],
        took_ns: u64,
        moment: Moment,
        statements: &mut Statements,
    ) {
        // A null pointer: an empty text, or one with an error.
        if statement == 0 {
            let _ = (group, moment, statements);
            return;
        }
        let has_placeholders = has_placeholders(sql);
        if let Some(prepared) = self.entry(pid, statement) {
            *prepared = Prepared { text: sql.to_vec(), has_placeholders, running: None, owed_ns: took_ns };
        }
    }

    #[allow(clippy::too_many_arguments, reason = "as above")]
    pub(super) fn stepped(
        &mut self,
        group: usize,
        pid: u32,
        statement: u64,
        row: bool,
        took_ns: u64,
        moment: Moment,
        statements: &mut Statements,
    ) {
        let Some(prepared) = self.entry(pid, statement) else { return };
        let key = prepared.running.get_or_insert_with(|| {
            let identity = (!prepared.has_placeholders).then(|| hash(&prepared.text));
            statements.executed((group, DATABASE, QueryProtocol::Sqlite), &prepared.text, identity, moment)
        });
        statements.took(key, took_ns + std::mem::take(&mut prepared.owed_ns), moment);
        if row {
            statements.rows(key, 1, moment);
        } else {
            prepared.running = None;
        }
    }

    pub(super) fn reset(&mut self, pid: u32, statement: u64) {
        if let Some(prepared) = self.prepared.get_mut(&pid).and_then(|of| of.get_mut(&statement)) {
            prepared.running = None;
        }
    }

    /// A process ended, or became another program: its statements are gone, and their addresses will be reused.
    pub(super) fn ended(&mut self, pid: u32) {
        self.count -= self.prepared.remove(&pid).map_or(0, |of| of.len());
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    fn entry(&mut self, pid: u32, statement: u64) -> Option<&mut Prepared> {
        let of_process = self.prepared.entry(pid).or_default();
        let is_new = !of_process.contains_key(&statement);
        if is_new && self.count >= MAX_PREPARED {
            self.dropped += 1;
            return None;
        }
        self.count += usize::from(is_new);
        Some(of_process.entry(statement).or_insert_with(|| Prepared {
            text: b"(prepared before tracing began)".to_vec(),
            has_placeholders: true,
            running: None,
            owed_ns: 0,
        }))
    }
}

/// Whether values may be bound to it: `?`, `:name`, `@name`, `$name` outside of strings.
fn has_placeholders(sql: &[u8]) -> bool {
    let mut in_string = false;
    for &byte in sql {
        match byte {
            b'\'' => in_string = !in_string,
            b'?' | b':' | b'@' | b'$' if !in_string => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests;

//! The principal type is [`Sqlite`]: statements that SQLite's library was given.

use std::collections::HashMap;

use super::moment::Moment;
use super::statements::{Key, Statements, hash};
use crate::evidence::QueryProtocol;

/// What stands in the place of a database's name: the library is not told of it with the statement.
const DATABASE: &str = "SQLite";
/// Prepared statements that are remembered.
const MAX_PREPARED: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Sqlite {
    prepared: HashMap<(u32, u64), Prepared>,
}

#[derive(Debug)]
struct Prepared {
    text: Vec<u8>,
    /// Values are bound to it, which are not seen.
    has_placeholders: bool,
    /// The execution under way.
    running: Option<Key>,
    /// Time of preparing, that the first execution carries.
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
        if self.prepared.len() < MAX_PREPARED || self.prepared.contains_key(&(pid, statement)) {
            let has_placeholders = has_placeholders(sql);
            let prepared = Prepared { text: sql.to_vec(), has_placeholders, running: None, owed_ns: took_ns };
            self.prepared.insert((pid, statement), prepared);
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
        let unknown = || Prepared {
            text: b"(prepared before tracing began)".to_vec(),
            has_placeholders: true,
            running: None,
            owed_ns: 0,
        };
        let prepared = self.prepared.entry((pid, statement)).or_insert_with(unknown);
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
        if let Some(prepared) = self.prepared.get_mut(&(pid, statement)) {
            prepared.running = None;
        }
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

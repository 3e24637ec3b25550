//! The principal type is [`Statements`]: SQL statements by fingerprint, and repetitions among them. [`Sqlite`] has
//! those given to SQLite's library.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::assembly::table::{Moment, Table};
use crate::evidence::{Counted, Evidence, QueryProtocol, QuerySeen};
use crate::series::Series;
use crate::sql::{Fingerprint, fingerprint, without_values};

/// Texts with remembered fingerprints: pages repeat their questions.
const MEMORY: usize = 20_000;

/// A kind of statement from one group to one database.
pub(super) type Key = (usize, String, QueryProtocol, Rc<str>);

#[derive(Debug, Default)]
pub(super) struct Statements {
    asked: Table<Key>,
    /// Prepared separately from execution.
    prepared: Table<Key>,
    more: BTreeMap<Key, More>,
    /// By the hash of their text.
    known: HashMap<(QueryProtocol, u64), Rc<Known>>,
    /// Executions of this phase, by text and values: the last request with each.
    identities: HashMap<(usize, u64), u64>,
}

#[derive(Debug)]
struct Known {
    fingerprint: Rc<str>,
    writes: bool,
    example: String,
}

#[derive(Debug, Default)]
struct More {
    example: String,
    writes: bool,
    identical: Series,
    distinct: Series,
    rows: Option<Series>,
}

impl Statements {
    /// Adds an execution; returns the key for [`took`](Self::took) and [`rows`](Self::rows). Without an identity
    /// (unseen values) repetitions cannot be recognised.
    pub(super) fn executed(
        &mut self,
        (group, database, protocol): (usize, &str, QueryProtocol),
        text: &[u8],
        identity: Option<u64>,
        moment: Moment,
    ) -> Key {
        let known = self.known(text, protocol);
        let key = (group, database.to_owned(), protocol, known.fingerprint.clone());
        if !self.asked.add(key.clone(), moment, 0) {
            return key;
        }
        let more = more(&mut self.more, &key, &known);
        if let Some(identity) = identity {
            match self.identities.insert((group, identity), moment.request) {
                Some(request) if request == moment.request => more.identical.add(moment.phase, 1),
                _ => more.distinct.add(moment.phase, 1),
            }
        }
        key
    }

    /// Adds a separate preparation; returns the key for [`prepare_took`](Self::prepare_took).
    pub(super) fn prepared(
        &mut self,
        (group, database, protocol): (usize, &str, QueryProtocol),
        text: &[u8],
        moment: Moment,
    ) -> Key {
        let known = self.known(text, protocol);
        let key = (group, database.to_owned(), protocol, known.fingerprint.clone());
        if self.prepared.add(key.clone(), moment, 0) {
            more(&mut self.more, &key, &known);
        }
        key
    }

    pub(super) fn prepare_took(&mut self, key: &Key, took_ns: u64, moment: Moment) {
        self.prepared.add_time(key.clone(), moment, took_ns);
    }

    pub(super) fn took(&mut self, key: &Key, took_ns: u64, moment: Moment) {
        self.asked.add_time(key.clone(), moment, took_ns);
    }

    pub(super) fn rows(&mut self, key: &Key, rows: u64, moment: Moment) {
        if let Some(more) = self.more.get_mut(key) {
            more.rows.get_or_insert_default().add(moment.phase, rows);
        }
    }

    fn known(&mut self, text: &[u8], protocol: QueryProtocol) -> Rc<Known> {
        let memory = (protocol, hash(text));
        if let Some(known) = self.known.get(&memory) {
            return known.clone();
        }
        let Fingerprint { text: fingerprint, writes, .. } = fingerprint(text, protocol.into());
        // Values are somebody's data, and sometimes a password.
        let example = without_values(&String::from_utf8_lossy(text), &fingerprint, protocol);
        let known = Rc::new(Known { fingerprint: fingerprint.into(), writes, example });
        if self.known.len() < MEMORY {
            self.known.insert(memory, known.clone());
        }
        known
    }

    /// No request extends into the next phase.
    pub(super) fn end_phase(&mut self) {
        self.identities.clear();
    }

    pub(super) fn dropped(&self) -> u64 {
        self.asked.dropped() + self.prepared.dropped()
    }

    pub(super) fn finish(mut self, evidence: &mut Evidence) {
        let mut all: BTreeMap<Key, (Counted, Counted)> =
            self.asked.into_sorted().into_iter().map(|(key, counted)| (key, (counted, Counted::default()))).collect();
        for (key, prepares) in self.prepared.into_sorted() {
            all.entry(key).or_default().1 = prepares;
        }
        evidence.queries = all
            .into_iter()
            .map(|(key, (counted, prepares))| {
                let More { example, writes, identical, distinct, rows } = self.more.remove(&key).unwrap_or_default();
                let (group, database, protocol, fingerprint) = key;
                let fingerprint = fingerprint.to_string();
                QuerySeen {
                    group,
                    database,
                    protocol,
                    fingerprint,
                    example,
                    writes,
                    counted,
                    prepares,
                    identical,
                    distinct,
                    rows,
                }
            })
            .collect();
    }
}

fn more<'a>(all: &'a mut BTreeMap<Key, More>, key: &Key, known: &Known) -> &'a mut More {
    let more = all.entry(key.clone()).or_default();
    if more.example.is_empty() {
        more.example.clone_from(&known.example);
        more.writes = known.writes;
    }
    more
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Replaces the database's name, which the library is not given with the statement.
const DATABASE: &str = "SQLite";
const MAX_PREPARED: usize = 100_000;

/// Statements given to SQLite's library.
#[derive(Debug, Default)]
pub(super) struct Sqlite {
    /// By process, and by the statement's handle in it.
    prepared: HashMap<u32, HashMap<u64, PreparedHere>>,
    count: usize,
    dropped: u64,
}

#[derive(Debug)]
struct PreparedHere {
    text: Vec<u8>,
    /// Values are bound to it, unseen.
    has_placeholders: bool,
    running: Option<Key>,
    /// Time of preparing, added to the first execution.
    owed_ns: u64,
}

impl Sqlite {
    pub(super) fn prepared(&mut self, pid: u32, statement: u64, sql: &[u8], took_ns: u64) {
        // A null pointer: an empty text, or one with an error.
        if statement == 0 {
            return;
        }
        let has_placeholders = has_placeholders(sql);
        if let Some(prepared) = self.entry(pid, statement) {
            *prepared = PreparedHere { text: sql.to_vec(), has_placeholders, running: None, owed_ns: took_ns };
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one event, taken apart where it is read")]
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
        statements.took(key, took_ns.saturating_add(std::mem::take(&mut prepared.owed_ns)), moment);
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

    fn entry(&mut self, pid: u32, statement: u64) -> Option<&mut PreparedHere> {
        let of_process = self.prepared.entry(pid).or_default();
        let is_new = !of_process.contains_key(&statement);
        if is_new && self.count >= MAX_PREPARED {
            self.dropped += 1;
            return None;
        }
        self.count += usize::from(is_new);
        Some(of_process.entry(statement).or_insert_with(|| PreparedHere {
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

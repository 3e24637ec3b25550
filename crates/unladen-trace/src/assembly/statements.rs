//! The principal type is [`Statements`]: SQL statements by fingerprint, and repetitions among them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::moment::Moment;
use super::table::Table;
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
        let more = self.more.entry(key.clone()).or_default();
        if more.example.is_empty() {
            more.example.clone_from(&known.example);
            more.writes = known.writes;
        }
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
        if !self.prepared.add(key.clone(), moment, 0) {
            return key;
        }
        let more = self.more.entry(key.clone()).or_default();
        if more.example.is_empty() {
            more.example.clone_from(&known.example);
            more.writes = known.writes;
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

pub(super) fn hash(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

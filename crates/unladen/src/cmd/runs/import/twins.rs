//! The principal type is [`Twins`]: which runs are there already.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use unladen_store::{Filter, NewRun, PAGE, RunId, Store, StoreError};

/// Which runs are there already: a second one would count as another run of the same thing, that varies by nothing.
///
/// Twins are of one time, command and target, and their documents say the same. Runs are asked about in the order of
/// [`Lines`](super::lines::Lines), so that only those of one such kind have to be in memory.
#[derive(Debug, Default)]
pub(super) struct Twins {
    /// What the store has of the times that were looked up.
    kept: HashMap<Kind, Vec<RunId>>,
    /// The kind that was asked about last.
    kind: Option<Kind>,
    /// Hashes of its documents as they are set: those that the store had, and those that were asked about since.
    set: HashSet<u64>,
    /// Likewise of what they say, where that had to be known.
    said: Option<HashSet<u64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    time_ns: i64,
    verb: String,
    target: String,
}

impl Twins {
    /// Looks up which runs of these times the store has: once for many, as a server may be far away.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn look_up(&mut self, store: &mut dyn Store, times_ns: Vec<i64>) -> Result<(), StoreError> {
        self.kept.clear();
        let mut filter = Filter { times_ns, limit: PAGE, ..Filter::default() };
        loop {
            let page = store.list(&filter)?;
            let Some(last) = page.last() else { return Ok(()) };
            filter.before = Some(last.position());
            let is_last = page.len() < PAGE as usize;
            for run in page {
                let kind = Kind { time_ns: run.time_ns, verb: run.verb, target: run.target };
                self.kept.entry(kind).or_default().push(run.id);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Whether neither the store nor the file so far has it. One that is alone has no twin in its file.
    pub(super) fn is_new(&mut self, store: &mut dyn Store, run: &NewRun, is_alone: bool) -> bool {
        let kind = Kind { time_ns: run.time_ns, verb: run.verb.clone(), target: run.target.clone() };
        let is_same_kind = self.kind.as_ref() == Some(&kind);
        if is_alone && !is_same_kind && !self.kept.contains_key(&kind) {
            return true;
        }
        if !is_same_kind {
            self.set = self.kept_of(store, &kind).map(|document| hash(&document)).collect();
            self.said = None;
            self.kind = Some(kind.clone());
        }
        // Most twins are set alike.
        if !self.set.insert(hash(&run.document)) {
            return false;
        }
        if self.said.is_none() {
            self.said = Some(self.kept_of(store, &kind).map(|document| said(&document)).collect());
        }
        self.said.as_mut().is_none_or(|seen| seen.insert(said(&run.document)))
    }

    /// What the store has of a kind. One that is damaged is no reason to leave a whole one out.
    fn kept_of<'a>(&self, store: &'a mut dyn Store, kind: &Kind) -> impl Iterator<Item = String> + 'a {
        let kept = self.kept.get(kind).cloned().unwrap_or_default();
        kept.into_iter().filter_map(|id| Some(store.run(id).ok()?.document))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A hash of what a document says, however it is set.
fn said(document: &str) -> u64 {
    // Its fields are in the order of their names.
    serde_json::from_str::<serde_json::Value>(document)
        .map_or_else(|_| hash(document), |value| hash(&value.to_string()))
}

//! The principal type is [`History`]: earlier runs of a target.

use unladen_document::Document;

use crate::run::Run;

/// A history of fewer runs is called short.
pub(crate) const FEW_RUNS: usize = 6;

/// Earlier runs of a target, for the variation between runs. It keeps their figures, not the documents. Users of a
/// history skip runs of other targets, and those measured differently.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(crate) runs: Vec<Run>,
}

impl History {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a run. The order of calls matters only for runs without a time.
    pub fn push(&mut self, document: &Document) {
        self.runs.push(Run::of(document));
    }

    /// Adds a run under its number in the store, or the name of its file.
    pub fn push_named(&mut self, id: impl Into<String>, document: &Document) {
        let mut run = Run::of(document);
        run.label.id = Some(id.into());
        self.runs.push(run);
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether it has no runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Earliest first.
    pub(crate) fn in_order(&self) -> Vec<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().collect();
        // RFC 3339 in UTC sorts as text. Runs without a time stay at the beginning in their order: they are old.
        runs.sort_by(|a, b| a.label.time.cmp(&b.label.time));
        runs
    }
}

impl<'a> FromIterator<&'a Document> for History {
    fn from_iter<I: IntoIterator<Item = &'a Document>>(documents: I) -> Self {
        let mut history = Self::new();
        documents.into_iter().for_each(|document| history.push(document));
        history
    }
}

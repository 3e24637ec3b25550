//! The principal type is [`History`]: earlier runs of a target.

use unladen_document::Document;

use crate::run::Run;

/// A history of fewer runs is called short.
pub(crate) const FEW_RUNS: usize = 6;

/// Earlier runs of a target, from which the variation between runs is estimated. It keeps their figures, not the
/// documents. Runs of other targets, or measured otherwise, are passed over by who uses it.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(crate) runs: Vec<Run>,
}

impl History {
    /// Of no runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a run. The order does not matter where runs say when they were; else it is that of time.
    pub fn push(&mut self, document: &Document) {
        self.runs.push(Run::of(document));
    }

    /// Adds a run under its number in the store, or the name of its file.
    pub fn push_named(&mut self, id: impl Into<String>, document: &Document) {
        let mut run = Run::of(document);
        run.label.id = Some(id.into());
        self.runs.push(run);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The earliest first.
    pub(crate) fn in_order(&self) -> Vec<&Run> {
        let mut runs: Vec<&Run> = self.runs.iter().collect();
        // RFC 3339 in UTC sorts as text. Runs without a time keep their places at the beginning: they are old.
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

//! A run beside an earlier one, with what the runs of its target vary by: [`beside`].

use unladen_compare::{Comparison, History, compare};
use unladen_document::Document;
use unladen_store::{Filter, Run, Store};

use crate::exit::Failure;

/// Earlier runs that tell how much runs of a target vary. Older ones say little of the machine of today.
pub(crate) const PAST_RUNS: u32 = 40;

/// The document of a run that is kept.
///
/// # Errors
/// If it is none that this version reads.
pub(crate) fn document_of(run: &Run) -> Result<Document, Failure> {
    Document::read(run.document.as_bytes()).map_err(|error| Failure::Usage(format!("run {}: {error}", run.summary.id)))
}

/// The runs of a command and a target, the newest so many.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn past(store: &mut dyn Store, verb: &str, target: &str, most: u32) -> Result<History, Failure> {
    let filter =
        Filter { verb: Some(verb.to_owned()), exact_target: Some(target.to_owned()), limit: most, ..Filter::default() };
    let mut history = History::new();
    for run in store.list(&filter)? {
        let run = store.run(run.id)?;
        // One that cannot be read tells nothing of how much runs vary.
        if let Ok(document) = document_of(&run) {
            history.push_named(run.summary.id.to_string(), &document);
        }
    }
    Ok(history)
}

/// Compares a run that is kept with a later one, which has a number if it is kept, too.
///
/// # Errors
/// If the store or the earlier run cannot be read.
pub(crate) fn beside(
    store: &mut dyn Store,
    before: &Run,
    after: &Document,
    id: Option<String>,
) -> Result<Comparison, Failure> {
    let earlier = document_of(before)?;
    let history = past(store, after.verb(), after.target(), PAST_RUNS)?;
    let mut comparison = compare(&earlier, after, &history);
    comparison.before.id = Some(before.summary.id.to_string());
    comparison.after.id = id;
    Ok(comparison)
}

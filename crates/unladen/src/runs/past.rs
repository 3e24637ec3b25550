//! [`beside`]: compares a run with an earlier one, given how much runs of its target vary.

use unladen_compare::{Comparison, History, compare};
use unladen_document::{Document, Ended};
use unladen_profile::{FlameStyle, Input, flame, reader_named};
use unladen_publish::RunPicture;
use unladen_store::{Filter, PAGE, Run, RunSummary, Store};

use crate::exit::Failure;
use crate::runs::time::read_rfc3339;

/// Runs that show how much runs of a target vary. Older ones say little of the machine at that time.
pub(crate) const PAST_RUNS: u32 = 40;

pub(crate) fn document_of(run: &Run) -> Result<Document, Failure> {
    Document::read(run.document.as_bytes()).map_err(|error| Failure::Usage(format!("run {}: {error}", run.summary.id)))
}

/// The newest runs, at most `most`, of a command and a target.
pub(crate) fn past(store: &mut dyn Store, verb: &str, target: &str, most: u32) -> Result<History, Failure> {
    let filter = Filter { limit: most, ..alike(verb, target) };
    let runs = store.list(&filter)?;
    read(store, runs)
}

/// The runs before the given time; if they are few, those after it, too.
fn around(store: &mut dyn Store, verb: &str, target: &str, time_ns: i64) -> Result<History, Failure> {
    let before = Filter { until_ns: time_ns.checked_add(1), limit: PAST_RUNS, ..alike(verb, target) };
    let mut runs = store.list(&before)?;
    let missing = (PAST_RUNS as usize).saturating_sub(runs.len());
    if missing > 0 {
        let after = Filter { since_ns: time_ns.checked_add(1), limit: PAGE, ..alike(verb, target) };
        let later = store.list(&after)?;
        // The list has the newest first.
        runs.extend(later.into_iter().rev().take(missing));
    }
    // One that was cut short varies more than runs of the same thing do.
    runs.retain(|run| run.ended.is_empty() || run.ended == Ended::Complete.into_str());
    read(store, runs)
}

/// Runs of a command and a target, which can be compared.
pub(crate) fn alike(verb: &str, target: &str) -> Filter {
    Filter { verb: Some(verb.to_owned()), exact_target: Some(target.to_owned()), ..Filter::default() }
}

fn read(store: &mut dyn Store, runs: Vec<RunSummary>) -> Result<History, Failure> {
    let mut history = History::new();
    for run in runs {
        let run = store.run(run.id)?;
        // An unreadable run says nothing about the variation.
        if let Ok(document) = document_of(&run) {
            history.push_named(run.summary.id.to_string(), &document);
        }
    }
    Ok(history)
}

/// Compares a kept run with a later one, which has a number if it is kept, too. Fails if the store or the earlier run
/// cannot be read.
pub(crate) fn beside(
    store: &mut dyn Store,
    before: &Run,
    after: &Document,
    id: Option<String>,
) -> Result<Comparison, Failure> {
    let earlier = document_of(before)?;
    let time = after.about().time.as_deref().and_then(read_rfc3339).unwrap_or(i64::MAX);
    let history = around(store, after.verb(), after.target(), time)?;
    let mut comparison = compare(&earlier, after, &history);
    comparison.before.id = Some(before.summary.id.to_string());
    comparison.after.id = id;
    Ok(comparison)
}

/// The command whose evidence is a profile.
const PROFILE: &str = "profile";

/// The flame graph of a profile; empty if unreadable, as the report is complete without.
pub(crate) fn pictures(verb: &str, evidence: Option<&[u8]>) -> Vec<RunPicture> {
    let profile = || {
        let mut bytes = evidence.filter(|_| verb == PROFILE)?;
        reader_named("unladen")?.read(&mut Input::new(&mut bytes)).ok()
    };
    let picture = profile().and_then(|profile| {
        let mut svg = Vec::new();
        flame(&profile, &FlameStyle::of(&profile), &mut svg).ok()?;
        Some(RunPicture {
            title: "Flame graph: where the time of a request goes".to_owned(),
            svg: String::from_utf8(svg).ok()?,
        })
    });
    picture.into_iter().collect()
}

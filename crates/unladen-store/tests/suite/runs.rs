//! Runs to keep.

use unladen_store::{NewRun, RunId, RunSummary};

/// A run of a page at this time.
pub(crate) fn run(verb: &str, target: &str, time_ns: i64) -> NewRun {
    NewRun {
        verb: verb.to_owned(),
        target: target.to_owned(),
        time_ns,
        host: "bench".to_owned(),
        version: "0.1.0".to_owned(),
        ended: "done".to_owned(),
        document: format!(r#"{{"schema": "unladen.{verb}/1", "target": "{time_ns}"}}"#),
        ..NewRun::default()
    }
}

/// What a list shows of a run.
pub(crate) fn seen(summary: &RunSummary) -> NewRun {
    NewRun {
        verb: summary.verb.clone(),
        target: summary.target.clone(),
        time_ns: summary.time_ns,
        host: summary.host.clone(),
        version: summary.version.clone(),
        ended: summary.ended.clone(),
        commit: summary.commit.clone(),
        dirty: summary.dirty,
        labels: summary.labels.clone(),
        document: String::new(),
        evidence: None,
    }
}

pub(crate) fn ids(runs: &[RunSummary]) -> Vec<RunId> {
    runs.iter().map(|run| run.id).collect()
}

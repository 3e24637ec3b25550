//! [`list`]: the findings of a run, and all fixes that were applied.

use nix::unistd::geteuid;
use unladen_document::Document;
use unladen_prove::outsider;
use unladen_publish::columns;
use unladen_store::{Filter, Location, Mode, RunSummary};

use crate::cmd::runs::Place;
use crate::exit::Failure;
use crate::fix::{Applied, FixFolder, Remedy, State, another_may_write};
use crate::output;
use crate::runs::{RunName, document_of};
use crate::say::say;

/// The findings of the run, and its summary.
pub(super) fn remedies(run: &RunName) -> Result<(Vec<Remedy>, RunSummary), Failure> {
    let place = Place::default();
    let mut store = place.open(Mode::ReadOnly)?;
    // Its experiments are run.
    if let Location::Sqlite(file) = place.location()?
        && geteuid().is_root()
        && std::path::absolute(&file).is_ok_and(|file| outsider(&file).is_some())
    {
        return Err(another_may_write(&file));
    }
    let filter = Filter { verb: Some("weigh".to_owned()), ..Filter::default() };
    let run = run.find(store.as_mut(), filter)?;
    let Document::Weigh(document) = document_of(&run)? else {
        return Err(Failure::Usage(format!("run {} is no run of `unladen weigh`: it has no findings", run.summary.id)));
    };
    Ok((Remedy::all(&run.summary.id.to_string(), &document), run.summary))
}

pub(super) fn list(name: &RunName, json: bool) -> Result<(), Failure> {
    let applied = FixFolder::all()?;
    if json {
        let records: Vec<&Applied> = applied.iter().map(|(_, record)| record).collect();
        return Ok(output::line(&Applied::document(&records))?);
    }
    let mut text = String::new();
    match remedies(name) {
        Ok((remedies, run)) if remedies.is_empty() => {
            text += &format!("run {}, {}: no finding\n", run.id, run.target);
        }
        Ok((remedies, run)) => {
            text += &format!("run {}, {}\n", run.id, run.target);
            let named = if *name == RunName::Latest { String::new() } else { format!("--run {name} ") };
            let row = |remedy: &Remedy| {
                let way = match (remedy.finding.is_switchable(), remedy.finding.fix.audience.as_str()) {
                    (true, _) => format!("unladen fix {named}{}", remedy.number),
                    (false, "developer") => "in the code".to_owned(),
                    (false, _) => "by hand".to_owned(),
                };
                vec![remedy.number.to_string(), remedy.finding.rule.clone(), way, remedy.finding.summary.clone()]
            };
            let rows: Vec<Vec<String>> = remedies.iter().map(row).collect();
            text += &columns(&["", "finding", "fix", ""], &rows, &[true, false, false, false]);
        }
        // What was applied can be listed without any run.
        Err(error) if applied.is_empty() => return Err(error),
        Err(error) => say!("unladen: {error}"),
    }
    if !applied.is_empty() {
        let row = |(folder, record): &(FixFolder, Applied)| {
            let state = match (folder.is_in_place(), record.state) {
                (Ok(true), State::Applied) => "applied".to_owned(),
                (Ok(true), _) => "left by a run that was killed: undo it".to_owned(),
                (Ok(false), State::Applied) => "put back".to_owned(),
                (Ok(false), state) => state.into_str().to_owned(),
                (Err(error), _) => error.to_string(),
            };
            vec![record.name.clone(), record.rule.clone(), state, record.time.clone(), record.proof.clone()]
        };
        let rows: Vec<Vec<String>> = applied.iter().map(row).collect();
        text.push('\n');
        text += &columns(&["fix", "of", "state", "since", "proof"], &rows, &[false; 5]);
    }
    Ok(output::line(text.trim_end())?)
}

//! [`list`]: the findings of a run, and all fixes that were applied.

use unladen_publish::columns;

use super::{Args, remedies};
use crate::exit::Failure;
use crate::fix::{Applied, FixFolder, Remedy, State};
use crate::output;
use crate::runs::RunName;
use crate::say::say;

pub(super) fn list(args: &Args) -> Result<(), Failure> {
    let applied = FixFolder::all()?;
    if args.json {
        let records: Vec<&Applied> = applied.iter().map(|(_, record)| record).collect();
        return Ok(output::line(&Applied::document(&records))?);
    }
    let mut text = String::new();
    match remedies(args) {
        Ok((remedies, run)) if remedies.is_empty() => {
            text += &format!("run {}, {}: no finding\n", run.id, run.target);
        }
        Ok((remedies, run)) => {
            text += &format!("run {}, {}\n", run.id, run.target);
            let named = if args.run == RunName::Latest { String::new() } else { format!("--run {} ", args.run) };
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

//! `unladen runs list`.

use serde_json::json;
use unladen_publish::columns;
use unladen_store::{Filter, PAGE, RunSummary};

use crate::cmd::runs::find::{Finding, Place};
use crate::cmd::values::some;
use crate::exit::Failure;
use crate::runs::{document_of, rfc3339};
use crate::{output, terminal};

/// Characters of a label in the table; a value has up to 256.
const LABEL: usize = 40;

/// Characters of a result, on a narrow terminal and on a wide one.
const RESULT: (usize, usize) = (24, 44);

const COMMIT: usize = 8;

/// List runs, the newest first
#[derive(Debug, clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    finding: Finding,
    /// How many
    #[arg(long, value_name = "N", value_parser = some, default_value_t = 20)]
    limit: u64,
    /// Write JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &List) -> Result<(), Failure> {
    let mut runs: Vec<RunSummary> = Vec::new();
    let mut results = Vec::new();
    let mut all = 0;
    if let Some(mut store) = args.place.read()? {
        let filter = args.finding.filter(0);
        all = store.count(&filter)?;
        let mut before = None;
        while (runs.len() as u64) < args.limit {
            let limit = (args.limit - runs.len() as u64).min(PAGE.into()) as u32;
            let page = store.list(&Filter { limit, before, ..filter.clone() })?;
            let Some(last) = page.last() else { break };
            before = Some(last.position());
            runs.extend(page);
        }
        if !args.json {
            // A run of a newer version, or one that was removed meanwhile, has no result here.
            let read = |run: &RunSummary| document_of(&store.run(run.id).ok()?).ok();
            results =
                runs.iter().map(read).map(|document| document.map(|it| it.result_text()).unwrap_or_default()).collect();
        }
    }
    if args.json {
        let runs: Vec<_> = runs.iter().map(json_of).collect();
        return Ok(output::line(&format!("{:#}", json!({ "schema": "unladen.runs/1", "count": all, "runs": runs })))?);
    }
    if runs.is_empty() {
        return Ok(output::line(if args.finding.is_given() { "no such run" } else { "no runs yet: measure first" })?);
    }
    let mut text = table(&runs, &results, usize::from(terminal::style().width));
    if all > runs.len() as u64 {
        text.push_str(&format!("\n{} of {all} runs; --limit N shows more\n", runs.len()));
    }
    Ok(output::line(text.trim_end())?)
}

fn table(runs: &[RunSummary], results: &[String], width: usize) -> String {
    let row = |(run, result): (&RunSummary, &String)| {
        let labels: Vec<String> =
            run.labels.iter().map(|(name, value)| shortened(&format!("{name}={value}"), LABEL)).collect();
        vec![
            run.id.to_string(),
            time(run.time_ns),
            verb(run),
            revision(run),
            run.host.clone(),
            cut(result, (width * 3 / 10).clamp(RESULT.0, RESULT.1)),
            run.target.strip_prefix("http://").unwrap_or(&run.target).to_owned(),
            labels.join(" "),
        ]
    };
    let head = ["run", "UTC", "command", "revision", "host", "result", "target", "labels"];
    let is_number = [true, false, false, false, false, false, false, false];
    let mut rows: Vec<Vec<String>> = runs.iter().zip(results).map(row).collect();
    // Columns without news are left out: empty ones, and the host where there is one.
    let mut kept: Vec<usize> = (0..head.len()).collect();
    kept.retain(|at| rows.iter().any(|row| !row[*at].is_empty() && (*at != 4 || row[4] != rows[0][4])));
    let pick = |cells: &[String]| -> Vec<String> { kept.iter().map(|at| cells[*at].clone()).collect() };
    // Only the target may be long: it gets the rest of the line.
    let others: usize = kept
        .iter()
        .filter(|at| **at != 6)
        .map(|at| rows.iter().map(|row| row[*at].chars().count()).chain([head[*at].len()]).max().unwrap_or(0) + 2)
        .sum();
    let room = width.saturating_sub(others).max(20);
    for row in &mut rows {
        row[6] = shortened(&row[6], room);
    }
    let heads: Vec<&str> = kept.iter().map(|at| head[*at]).collect();
    let numbers: Vec<bool> = kept.iter().map(|at| is_number[*at]).collect();
    columns(&heads, &rows.iter().map(|row| pick(row)).collect::<Vec<_>>(), &numbers)
}

/// The beginning of a result says more than its end.
fn cut(text: &str, room: usize) -> String {
    match text.chars().count() > room {
        true => text.chars().take(room - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// The end of a URL says more than its beginning.
fn shortened(text: &str, room: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= room {
        return text.to_owned();
    }
    let head = room / 2;
    let tail = room - head - 1;
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

fn verb(run: &RunSummary) -> String {
    if run.ended.is_empty() || run.ended == "complete" {
        run.verb.clone()
    } else {
        format!("{} ({})", run.verb, run.ended)
    }
}

fn revision(run: &RunSummary) -> String {
    let short = |commit: &String| commit.chars().take(COMMIT).collect::<String>();
    let commit = run.commit.as_ref().map(short).unwrap_or_default();
    if run.dirty && !commit.is_empty() { format!("{commit}+") } else { commit }
}

pub(super) fn time(ns: i64) -> String {
    rfc3339(ns).get(..16).map(|text| text.replace('T', " ")).unwrap_or_default()
}

pub(super) fn json_of(run: &RunSummary) -> serde_json::Value {
    json!({
        "id": run.id.get(),
        "verb": run.verb,
        "target": run.target,
        "time": rfc3339(run.time_ns),
        "host": run.host,
        "version": run.version,
        "ended": run.ended,
        "commit": run.commit,
        "dirty": run.dirty,
        "labels": run.labels,
        "document_bytes": run.document_bytes,
        "evidence_bytes": run.evidence_bytes,
    })
}

#[cfg(test)]
mod tests;

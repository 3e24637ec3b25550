//! `unladen runs export`: runs as lines of JSON.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;
use unladen_store::{Mode, RunId, Store};

use crate::cmd::runs::find::{Finding, Place, each_page};
use crate::exit::Failure;
use crate::output::{self, OutputError};

pub(super) const SCHEMA: &str = "unladen.run/1";

const STDOUT: &str = "standard output";

/// Write runs to standard output or a file, one line of JSON each
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Their numbers [default: all that match the options]
    #[arg(value_name = "RUN")]
    runs: Vec<RunId>,
    #[command(flatten)]
    finding: Finding,
    /// Leave out traced data, such as the texts of queries
    #[arg(long)]
    no_evidence: bool,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Line {
    schema: String,
    document: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Box<RawValue>>,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(file) = &args.output {
        output::check(file)?;
    }
    let mut store = args.place.open(Mode::ReadOnly)?;
    let mut write = |out: &mut dyn Write| -> Result<(), Failure> {
        let mut each = |store: &mut dyn Store, id: RunId| -> Result<(), Failure> {
            let line = line_of(store, id, args.no_evidence)?;
            let place = args.output.as_deref().unwrap_or(Path::new(STDOUT));
            Ok(writeln!(out, "{line}").map_err(|source| OutputError::new(place, source))?)
        };
        if !args.runs.is_empty() {
            return args.runs.iter().try_for_each(|id| each(store.as_mut(), *id));
        }
        let filter = args.finding.filter(1);
        each_page(store.as_mut(), &filter, |store, page| page.iter().try_for_each(|run| each(store, run.id)))
    };
    let done = match &args.output {
        Some(file) => {
            let mut done = Ok(());
            let written = output::whole_file(file, |out| {
                done = write(out);
                if done.is_err() { Err(io::Error::other("not all runs could be read")) } else { Ok(()) }
            });
            done.and_then(|()| Ok(written?))
        }
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            let written = write(&mut out);
            written.and_then(|()| Ok(out.flush().map_err(|source| OutputError::new(Path::new(STDOUT), source))?))
        }
    };
    match done {
        // A reader that has gone away is no error.
        Err(Failure::Output(error)) if error.why().kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn line_of(store: &mut dyn Store, id: RunId, no_evidence: bool) -> Result<String, Failure> {
    let run = store.run(id)?;
    let raw = |text: String, what: &str| {
        let damaged = |error| Failure::Usage(format!("{what} of run {id} is damaged, not JSON: {error}"));
        let value: serde_json::Value = serde_json::from_str(&text).map_err(damaged)?;
        // On one line.
        RawValue::from_string(value.to_string()).map_err(damaged)
    };
    let evidence = if no_evidence { None } else { store.evidence(id)? };
    let evidence =
        evidence.map(|bytes| raw(String::from_utf8_lossy(&bytes).into_owned(), "the evidence")).transpose()?;
    let line = Line { schema: SCHEMA.to_owned(), document: raw(run.document, "the document")?, evidence };
    serde_json::to_string(&line).map_err(|error| Failure::Usage(error.to_string()))
}

//! `unladen runs export` and `unladen runs import`: runs as lines of JSON, and documents of earlier versions.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use unladen_store::{DOCUMENT_BYTES, EVIDENCE_BYTES, Filter, Mode, NewRun, RunId, Store};

use crate::cmd::runs::find::{Finding, each_page};
use crate::cmd::runs::place::Place;
use crate::exit::Failure;
use crate::output::{self, OutputError};
use crate::runs::{new_run, now, written_at};

/// The version of a line.
const SCHEMA: &str = "unladen.run/1";

/// Bytes of a line: a document and its evidence.
const LINE_BYTES: u64 = (DOCUMENT_BYTES + EVIDENCE_BYTES) as u64 + (1 << 20);

/// Write runs to standard output, or a file: a line of JSON each
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// Their numbers [default: all that the options let through]
    #[arg(value_name = "RUN")]
    runs: Vec<RunId>,
    #[command(flatten)]
    finding: Finding,
    /// Leave out what was traced, such as the texts of queries
    #[arg(long)]
    no_evidence: bool,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// Keep runs from files: of `unladen runs export`, or results that were written with --json or -o
///
/// A run that is there already is not kept again.
#[derive(Debug, clap::Args)]
pub(super) struct Import {
    /// The files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// A line of an export.
#[derive(Serialize, Deserialize)]
struct Line {
    schema: String,
    document: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Box<RawValue>>,
}

pub(super) fn export(args: &Export) -> Result<(), Failure> {
    if let Some(file) = &args.output {
        output::check(file)?;
    }
    let mut store = args.place.open(Mode::ReadOnly)?;
    let mut write = |out: &mut dyn Write| -> io::Result<Result<(), Failure>> {
        let mut each = |store: &mut dyn Store, id: RunId| -> Result<(), Failure> {
            let line = line_of(store, id, args.no_evidence)?;
            writeln!(out, "{line}").map_err(|source| {
                OutputError::new(args.output.as_deref().unwrap_or(Path::new("standard output")), source)
            })?;
            Ok(())
        };
        if !args.runs.is_empty() {
            return Ok(args.runs.iter().try_for_each(|id| each(store.as_mut(), *id)));
        }
        let filter = args.finding.filter(1);
        Ok(each_page(store.as_mut(), &Filter { limit: 1, ..filter }, |store, page| {
            page.iter().try_for_each(|run| each(store, run.id))
        }))
    };
    let mut done = Ok(());
    match &args.output {
        Some(file) => output::whole_file(file, |out| {
            done = write(out)?;
            if done.is_err() { Err(io::Error::other("not all runs could be read")) } else { Ok(()) }
        })
        .or_else(|error| if done.is_err() { Ok(()) } else { Err(error) })?,
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            done = match write(&mut out) {
                Ok(done) => done,
                Err(source) => Err(OutputError::new(Path::new("standard output"), source).into()),
            };
            match out.flush() {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    return Err(OutputError::new(Path::new("standard output"), error).into());
                }
                _ => {}
            }
        }
    }
    match done {
        // A reader that has gone away is no error.
        Err(Failure::Output(error)) if error.why().kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn line_of(store: &mut dyn Store, id: RunId, no_evidence: bool) -> Result<String, Failure> {
    let run = store.run(id)?;
    let raw = |text: String, what: &str| {
        let damaged = |error| Failure::Usage(format!("{what} of run {id} is no JSON any more: {error}"));
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

pub(super) fn import(args: &Import) -> Result<(), Failure> {
    let mut store = args.place.open(Mode::ReadWrite)?;
    let mut ids = Vec::new();
    let mut there = 0;
    for file in &args.files {
        let mut runs = read(file)?;
        let all = runs.len();
        without_twins(&mut runs);
        let mut new = Vec::with_capacity(runs.len());
        for run in runs {
            if !is_there(store.as_mut(), &run)? {
                new.push(run);
            }
        }
        let mut runs = new;
        there += all - runs.len();
        // An export has the newest first: numbers are to grow with time here, too.
        runs.sort_by_key(|run| run.time_ns);
        // All of a file or none of it: it can be given again.
        ids.extend(store.keep_all(&runs)?);
    }
    Ok(output::line(&told(&ids, there))?)
}

fn told(ids: &[RunId], there: usize) -> String {
    let text = match ids {
        [] if there == 0 => return "nothing was kept: the files are empty".to_owned(),
        [] => "nothing was kept".to_owned(),
        [only] => format!("kept as run {only}"),
        [first, .., last] => format!("{} runs kept, {first} to {last}", ids.len()),
    };
    match there {
        0 => text,
        1 => format!("{text}; 1 run was there already"),
        many => format!("{text}; {many} runs were there already"),
    }
}

/// Runs of the same nanosecond, command and target that are looked at.
const AT_ONE_TIME: u32 = 100;

/// Whether a run is kept already: a second one would count as another run of the same thing, that varies by nothing.
fn is_there(store: &mut dyn Store, run: &NewRun) -> Result<bool, Failure> {
    let filter = Filter {
        verb: Some(run.verb.clone()),
        exact_target: Some(run.target.clone()),
        since_ns: Some(run.time_ns),
        until_ns: run.time_ns.checked_add(1),
        limit: AT_ONE_TIME,
        ..Filter::default()
    };
    for kept in store.list(&filter)? {
        // One that is damaged is no reason to leave a whole one out.
        if store.run(kept.id).is_ok_and(|kept| is_same(&kept.document, &run.document)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Leaves one of each in a file that has a run twice.
fn without_twins(runs: &mut Vec<NewRun>) {
    // Twins stand side by side: by a hash of what they say, as two runs may have ended at the same time.
    runs.sort_by_cached_key(|run| {
        let mut hasher = DefaultHasher::new();
        value_of(&run.document).map(|value| value.to_string()).hash(&mut hasher);
        (run.time_ns, hasher.finish())
    });
    runs.dedup_by(|a, b| {
        (a.time_ns, &a.verb, &a.target) == (b.time_ns, &b.verb, &b.target) && is_same(&a.document, &b.document)
    });
}

fn value_of(document: &str) -> Option<serde_json::Value> {
    serde_json::from_str(document).ok()
}

/// Whether two documents say the same, however they are set.
fn is_same(one: &str, other: &str) -> bool {
    one == other || value_of(one).is_some_and(|value| Some(value) == value_of(other))
}

fn read(file: &Path) -> Result<Vec<NewRun>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Usage(format!("{} cannot be read: {error}", file.display()));
    if output::is_stdout(file) {
        return runs_of(&mut io::stdin().lock(), Path::new("standard input"), now());
    }
    let opened = File::open(file).map_err(|error| wrong(&error))?;
    // A document of an earlier version does not say when it was made; its file does.
    let time = written_at(&opened);
    runs_of(&mut BufReader::new(opened), file, time)
}

fn runs_of(mut from: &mut dyn BufRead, file: &Path, time: i64) -> Result<Vec<NewRun>, Failure> {
    let wrong =
        |line: usize, error: &dyn std::fmt::Display| Failure::Usage(format!("{}:{line}: {error}", file.display()));
    let mut runs = Vec::new();
    for number in 1.. {
        let mut line = Vec::new();
        let read =
            (&mut from).take(LINE_BYTES + 1).read_until(b'\n', &mut line).map_err(|error| wrong(number, &error))?;
        if read as u64 > LINE_BYTES {
            return Err(wrong(number, &"the line is longer than a run can be"));
        }
        if read == 0 {
            break;
        }
        match serde_json::from_slice::<Line>(&line) {
            Ok(parsed) if parsed.schema == SCHEMA => {
                let evidence = parsed.evidence.map(|evidence| evidence.get().as_bytes().to_vec());
                runs.push(
                    new_run(parsed.document.get().as_bytes(), evidence, time).map_err(|error| wrong(number, &error))?,
                );
            }
            // A document of a result, on as many lines as it likes.
            _ if number == 1 => {
                let mut text = line;
                (&mut from).take(LINE_BYTES).read_to_end(&mut text).map_err(|error| wrong(number, &error))?;
                return Ok(vec![new_run(&text, None, time).map_err(|error| wrong(1, &error))?]);
            }
            Ok(parsed) => {
                return Err(wrong(number, &format!("`{}` is no schema of a run: expected {SCHEMA}", parsed.schema)));
            }
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(error) => return Err(wrong(number, &error)),
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<NewRun>, String> {
        runs_of(&mut text.as_bytes(), Path::new("runs.jsonl"), 0).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_and_documents_are_read() {
        let document = r#"{"schema": "unladen.weigh/1", "target": "http://a/", "ended": "complete"}"#;
        let line = format!(r#"{{"schema": "unladen.run/1", "document": {document}, "evidence": {{"a": 1}}}}"#);
        let runs = read_text(&format!("{line}\n\n{line}\n")).unwrap();
        assert_eq!(
            (runs.len(), runs[0].verb.as_str(), runs[0].evidence.as_deref()),
            (2, "weigh", Some(&br#"{"a": 1}"#[..]))
        );
        let pretty = format!("{:#}\n", serde_json::from_str::<serde_json::Value>(document).unwrap());
        let runs = read_text(&pretty).unwrap();
        assert_eq!((runs.len(), runs[0].target.as_str(), runs[0].time_ns), (1, "http://a/", 0));
        assert!(read_text("").unwrap().is_empty());
    }

    /// A file that was imported twice made runs that vary by nothing, and small noise looked like a difference.
    #[test]
    fn a_run_is_kept_once() {
        let line = |p50: u64| {
            format!(
                r#"{{"schema": "unladen.run/1", "document": {{"schema": "unladen.load/1", "target": "http://a/",
                    "time": "2026-11-23T05:00:00Z", "latency_ns": {{"p50": {p50}}}}}}}"#
            )
            .replace('\n', " ")
        };
        let mut runs = read_text(&format!("{}\n{}\n{}\n", line(1), line(2), line(1))).unwrap();
        without_twins(&mut runs);
        assert_eq!(runs.len(), 2);
        let folder = tempfile::tempdir().unwrap();
        let location = unladen_store::Location::Sqlite(folder.path().join("runs.sqlite"));
        let mut store = unladen_store::open(&location, Mode::ReadWrite).unwrap();
        store.keep_all(&runs[..1]).unwrap();
        // However it is set.
        runs[0].document = format!("{:#}", serde_json::from_str::<serde_json::Value>(&runs[0].document).unwrap());
        assert!(is_there(store.as_mut(), &runs[0]).unwrap());
        assert!(!is_there(store.as_mut(), &runs[1]).unwrap());
        let id = RunId::new(7).unwrap();
        assert_eq!(told(&[id], 0), "kept as run 7");
        assert_eq!(told(&[], 2), "nothing was kept; 2 runs were there already");
        assert_eq!(told(&[], 0), "nothing was kept: the files are empty");
    }

    #[test]
    fn what_is_no_run_is_told_with_its_line() {
        let document = r#"{"schema": "unladen.run/1", "document": {"schema": "unladen.load/1"}}"#;
        let said = read_text(&format!("{document}\nnonsense\n")).unwrap_err();
        assert!(said.starts_with("runs.jsonl:2: "), "{said}");
        assert!(read_text("nonsense").unwrap_err().starts_with("runs.jsonl:1: "));
        assert!(read_text(r#"{"schema": "unladen.run/1", "document": {"schema": "other/1"}}"#).is_err());
    }
}

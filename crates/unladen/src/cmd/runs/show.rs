//! `unladen runs show`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use unladen_report::{FixCommand, Style};
use unladen_store::{Filter, Mode};

use crate::cmd::runs::find::Place;
use crate::cmd::showing::Published;
use crate::exit::Failure;
use crate::output::{self, Destination};
use crate::runs::{RunName, document_of, pictures};
use crate::terminal;

/// Show a run again: as the tables that the command printed, as it was kept, or as a report
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its number, `latest`, a label such as release=1.43, or commit:4f2a
    #[arg(value_name = "RUN")]
    run: RunName,
    /// Write the JSON document as it was kept
    #[arg(long)]
    json: bool,
    /// Show everything that was measured, and not the first screen alone
    #[arg(long)]
    details: bool,
    /// Write to a file, in the format of its ending: .txt (the tables), .json, .html, .md; may be repeated
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    published: Published,
    /// Write the traced data to a file, for `unladen weigh --replay`; for a profile, its stacks, for `unladen profile
    /// import`
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let files: Vec<Destination> =
        args.output.iter().map(|file| Destination::of_name(file)).chain(args.published.destinations()).collect();
    files.iter().try_for_each(|file| file.check_of_document())?;
    let mut store = args.place.open(Mode::ReadOnly)?;
    let run = args.run.find(store.as_mut(), Filter::default())?;
    let text = run.document.as_bytes();
    let is_asked_for = !files.is_empty() || args.evidence.is_some();
    let evidence = if is_asked_for { store.evidence(run.summary.id)? } else { None };
    let pictures = pictures(&run.summary.verb, evidence.as_deref());
    for file in &files {
        file.write_document(text, &pictures)?;
    }
    if let Some(file) = &args.evidence {
        let Some(evidence) = evidence else {
            return Err(Failure::Usage(format!("no evidence was kept of run {}", run.summary.id)));
        };
        output::whole_file(file, |out| out.write_all(&evidence))?;
    }
    if args.json {
        return Ok(output::bytes(text)?);
    }
    // The requested files are enough.
    if files.is_empty() && args.evidence.is_none() {
        let style = terminal::style();
        let fix = style.fix.filter(|_| args.place.is_default());
        let fix = fix.map(|fix| FixCommand { run: NonZeroU64::new(run.summary.id.get()), ..fix });
        let style = Style { details: args.details, fix, ..style };
        return Ok(output::tables(document_of(&run)?, "-".as_ref(), style)?);
    }
    Ok(())
}

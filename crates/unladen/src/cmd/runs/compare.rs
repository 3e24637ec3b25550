//! `unladen runs compare`.

use std::path::PathBuf;

use unladen_publish::comparison_text;
use unladen_store::{Filter, Mode};

use crate::cmd::runs::find::Place;
use crate::cmd::showing::Published;
use crate::cmd::values::tolerated;
use crate::exit::Failure;
use crate::output::{self, Destination};
use crate::runs::{RunName, Tolerance, beside, document_of, worse};

/// Compare two runs: what disappeared, is new, heavier, lighter, slower or faster, and what shows no measurable
/// difference
///
/// Even two runs of the same thing differ. How much is estimated from the other runs of the same target.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The earlier run: its number, `latest` (the last before AFTER), a label such as release=1.42, or commit:4f2a
    #[arg(value_name = "BEFORE")]
    before: RunName,
    /// The later one
    #[arg(value_name = "AFTER")]
    after: RunName,
    /// Exit with code 8 if something is certainly worse by more than this, such as 2%, or if there is a new finding
    #[arg(long, value_name = "PERCENT", value_parser = tolerated)]
    tolerate: Option<f64>,
    /// With --tolerate: exit with code 5 if a figure could not be judged, because too few earlier runs were kept or the
    /// two runs' machines cannot be compared
    #[arg(long, requires = "tolerate")]
    require_history: bool,
    /// Write JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Write to a file, in the format of its ending: .json, .html, .md, .xml (JUnit), .sarif; may be repeated
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    published: Published,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let files: Vec<Destination> =
        args.output.iter().map(|file| Destination::of_name(file)).chain(args.published.destinations()).collect();
    files.iter().try_for_each(Destination::check_of_comparison)?;
    let mut store = args.place.open(Mode::ReadOnly)?;
    let after = args.after.find(store.as_mut(), Filter::default())?;
    // A name for the earlier run is looked up among the runs comparable with the later one.
    let comparable = Filter {
        verb: Some(after.summary.verb.clone()),
        exact_target: Some(after.summary.target.clone()),
        before: Some(after.summary.position()),
        ..Filter::default()
    };
    let before = args.before.find(store.as_mut(), comparable)?;
    let document = document_of(&after)?;
    let comparison = beside(store.as_mut(), &before, &document, Some(after.summary.id.to_string()))?;
    for file in &files {
        file.write_comparison(&comparison)?;
    }
    if args.json {
        output::line(&output::json_of(&comparison))?;
    } else if files.is_empty() {
        output::line(comparison_text(&comparison).trim_end())?;
    }
    let tolerance = args.tolerate.map(|share| Tolerance { share, requires_history: args.require_history });
    tolerance.map_or(Ok(()), |tolerance| worse(&comparison, tolerance))
}

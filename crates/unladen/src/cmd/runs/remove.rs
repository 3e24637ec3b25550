//! `unladen runs rm` and `unladen runs prune`: runs are removed only on request.

use unladen_store::{Filter, Mode, Retention, StoreError};

use crate::cmd::runs::find::Place;
use crate::exit::Failure;
use crate::output;
use crate::runs::{RunName, moment};

/// Remove runs
#[derive(Debug, clap::Args)]
pub(super) struct Rm {
    /// Their numbers; `latest`, a label such as release=1.43, or commit:4f2a is the newest one of these
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<RunName>,
    #[command(flatten)]
    place: Place,
}

/// Remove all runs but the newest, or those before a date
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(super) struct Prune {
    /// Keep this many of each command and target
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), group = "what")]
    keep: Option<u32>,
    /// Remove runs before that: a date such as 2026-11-23, or an age such as 90d
    #[arg(long, value_name = "WHEN", value_parser = moment, group = "what")]
    before: Option<i64>,
    /// Remove nothing: list what would be removed
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn rm(args: &Rm) -> Result<(), Failure> {
    let mut store = args.place.open(Mode::ReadWrite)?;
    let mut found = Vec::new();
    for name in &args.runs {
        // A mistyped number must not remove the others.
        let run = name.find(store.as_mut(), Filter::default()).map_err(|failure| match failure {
            Failure::Usage(_) | Failure::Store(StoreError::NoSuchRun { .. }) => {
                Failure::Usage(format!("{failure}; nothing was removed"))
            }
            other => other,
        })?;
        found.push(run.summary.id);
    }
    Ok(output::line(&removed(store.remove(&found)?))?)
}

pub(super) fn prune(args: &Prune) -> Result<(), Failure> {
    let retention = match (args.keep, args.before) {
        (Some(keep), _) => Retention::Newest(keep),
        (None, Some(before)) => Retention::Since(before),
        (None, None) => return Err(Failure::Usage("expected --keep or --before".into())),
    };
    if args.dry_run {
        let runs = args.place.open(Mode::ReadOnly)?.prunable(retention)?;
        let numbers: Vec<u64> = runs.iter().map(|run| run.get()).collect();
        let list = if numbers.is_empty() { String::new() } else { format!(": {}", ranges(numbers)) };
        return Ok(output::line(&format!("{} would be removed{list}", count(runs.len())))?);
    }
    let runs = args.place.open(Mode::ReadWrite)?.prune(retention)?;
    Ok(output::line(&removed(runs.len()))?)
}

/// `1 to 3, 7`: a store may have thousands.
fn ranges(mut numbers: Vec<u64>) -> String {
    numbers.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => all.push((number, number)),
        }
    }
    let text =
        |(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first} to {last}") };
    all.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn removed(runs: usize) -> String {
    format!("{} removed", count(runs))
}

fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

#[cfg(test)]
mod tests;

//! `unladen runs`: earlier measurements.

mod compare;
mod export;
mod find;
mod import;
mod list;
mod remove;
mod serve;
mod show;
mod trend;

pub(super) use find::Place;

use crate::exit::Failure;

/// List, show, compare, export and remove the runs that were kept
///
/// `unladen weigh`, `load`, `prove` and `profile` keep their results; nothing is sent anywhere. Without a command, the
/// newest runs are listed.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        unladen runs --verb weigh --target wiki.example\n  \
        unladen runs show 12 --html report.html\n  \
        unladen runs compare release=1.42 latest --tolerate 2%\n  \
        unladen runs export --label release=1.43 >release.jsonl\n  \
        unladen runs prune --keep 50\n\n\
        docs/reference/runs.md, in share/doc/unladen or the source, describes each."
)]
// The list's options are a group of the same name.
#[group(skip)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: list::List,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::List),
    Show(show::Args),
    Compare(compare::Args),
    Trend(trend::Args),
    Serve(serve::Args),
    Export(export::Args),
    Import(import::Args),
    Rm(remove::Rm),
    Prune(remove::Prune),
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        None => list::run(&args.list),
        Some(Command::List(args)) => list::run(&args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Trend(args)) => trend::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Rm(args)) => remove::rm(&args),
        Some(Command::Prune(args)) => remove::prune(&args),
    }
}

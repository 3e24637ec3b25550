//! `unladen profile`: the command line, and what it resolves to.

mod diff;
mod files;
mod how;

use unladen_profiler::Prepended;
use unladen_report::Report;

use crate::cmd::fail_on::FailOn;
use crate::cmd::keeping::KeepArgs;
use crate::cmd::profile::files::{Kept, Listed};
use crate::cmd::profile::how::{How, page_of};
use crate::cmd::rules;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::exit::Failure;
use crate::interrupt;
use crate::output;
use crate::profile::{self, Ran};
use crate::say::say;

/// Show where in the code the time of a page goes
///
/// Finds the process that answers the URL, and runs the profiler for it: Excimer for PHP-FPM, Devel::NYTProf for Perl,
/// the kernel's clock for everything else. Only the requests that are sent here are profiled, and the application is
/// not changed.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  \
        sudo unladen profile http://127.0.0.1:8080/index.php/Main_Page\n  \
        sudo unladen profile --fresh http://127.0.0.1:8081/wws/lists\n  \
        sudo unladen profile diff http://127.0.0.1:8080/ http://127.0.0.1:8082/\n  \
        unladen profile diff before.profile.json after.profile.json -o change.svg\n  \
        unladen profile import nytprof.out -o page.svg"
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The page
    #[arg(required_unless_present = "print_prepend", value_name = "URL")]
    url: Option<String>,
    /// Print the file that PHP has to run before its scripts for --prepended (auto_prepend_file), and exit
    #[arg(long, exclusive = true, help_heading = "How to profile")]
    print_prepend: bool,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    sending: Sending,
    /// Exit with code 8 if this rule finds something or could not be checked; `any` stands for all that can be checked;
    /// may be repeated
    #[arg(long, value_name = "RULE", value_parser = rules::or_any(true), hide_possible_values = true, help_heading = "What to look for")]
    fail_on: Vec<String>,
    #[command(flatten)]
    kept: Kept,
    #[command(flatten)]
    listed: Listed,
    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Import(files::Import),
    Export(files::Export),
    Merge(files::Merge),
    Grep(files::Grep),
    Top(files::Top),
    Diff(Box<diff::Args>),
    Formats(files::Formats),
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    match args.command {
        Some(Command::Import(args)) => files::import(&args, typed),
        Some(Command::Export(args)) => files::export(&args),
        Some(Command::Merge(args)) => files::merge(&args),
        Some(Command::Grep(args)) => files::grep(&args, typed),
        Some(Command::Top(args)) => files::top(&args, typed),
        Some(Command::Diff(args)) => diff::run(*args, typed),
        Some(Command::Formats(args)) => files::formats(&args),
        None if args.print_prepend => Ok(output::bytes(Prepended::FILE.as_bytes())?),
        None => page(args, typed),
    }
}

fn page(args: Args, typed: &[String]) -> Result<(), Failure> {
    let Some(url) = &args.url else { return Err(Failure::Usage("expected a URL".into())) };
    args.showing.check(true)?;
    let gate = FailOn::of(&args.fail_on, true)?;
    let options = args.how.resolve(args.showing.quiet)?;
    let folder = args.kept.folder()?;
    let page = page_of(&args.sending, url)?;
    let mut keeper = args.keep.clone().keeper(typed, args.showing.quiet)?;
    keeper.origin.set_seed(options.seed);
    let cancel = interrupt::on_signal()?;

    let Ran { mut result, failure } = profile::profile(page, &options, &cancel).inspect_err(|_| {
        // An empty folder is no use; one with files stays.
        folder.iter().for_each(|folder| _ = std::fs::remove_dir(folder));
    })?;
    result.top = args.listed.top;
    result.document.gates = gate.gates_of_profile(url, &result);
    let mut written = Ok(());
    if let (Some(folder), Some(profile)) = (&folder, &result.profile) {
        match profile::write_all(profile, folder, &profile::slug(url)) {
            Ok(files) => result.document.written = files,
            Err(error) => written = Err(error),
        }
    }
    result.document.about.complete(keeper.origin.about());
    // Also if a file could not be written: the measurement is not lost.
    let shown =
        args.showing.show_and_keep(Report::Profile(&result), &keeper, || profile::stacks(result.profile.as_ref()?));
    if let Some(failure) = failure {
        // The failure decides the exit code; write errors are reported as well.
        for error in [written.err().map(|error| error.to_string()), shown.err().map(|error| error.to_string())] {
            error.inspect(|error| say!("unladen: {error}"));
        }
        return Err(failure);
    }
    written?;
    shown?;
    gate.judge_profile(url, &result)
}

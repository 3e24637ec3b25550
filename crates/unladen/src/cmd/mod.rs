//! The commands, one file a verb.

mod classmap;
mod completions;
mod fail_on;
mod load;
mod man;
mod profile;
mod prove;
mod purge;
mod rules;
mod sending;
mod serve;
mod showing;
mod values;
mod weigh;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use unladen_load::LoadError;

use crate::exit::Failure;

/// Weighs what each request of a web application carries.
#[derive(Debug, Parser)]
#[command(
    name = "unladen",
    version,
    about,
    propagate_version = true,
    after_help = "Exit codes are listed in `unladen man`, unladen(1)."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Weigh(Box<weigh::Args>),
    Load(Box<load::Args>),
    Prove(Box<prove::Args>),
    Profile(Box<profile::Args>),
    Classmap(Box<classmap::Args>),
    Serve(serve::Args),
    Purge(purge::Args),
    Rules(rules::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Parses the command line and does what it says.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Weigh(args) => weigh::run(*args),
        Command::Load(args) => load::run(*args),
        Command::Prove(args) => prove::run(*args),
        Command::Profile(args) => profile::run(*args),
        Command::Classmap(args) => classmap::run(*args),
        Command::Serve(args) => serve::run(&args),
        Command::Purge(args) => purge::run(args),
        Command::Rules(args) => rules::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure);
            failure.code().into()
        }
    }
}

/// One line with what happened and what to do; then, of a response that was not expected, the response.
fn report(failure: &Failure) {
    eprintln!("unladen: {failure}");
    let error = match failure {
        Failure::Load(error) => error,
        Failure::Arm { error, .. } => error,
        _ => return,
    };
    if let LoadError::UnexpectedStatus { sample, .. } | LoadError::UnexpectedBody { sample, .. } = error {
        eprintln!("\n{sample}");
    }
}

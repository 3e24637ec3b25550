//! The program behind `make accuracy`: runs the proofs and writes tables.md, the tables behind
//! docs/reference/accuracy.md.

mod between;
mod bills;
mod comparing;
mod fleets;
mod interrupt;
mod matrix;
mod measurement;
mod simulation;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use unladen_accuracy::document;

/// Proofs of accuracy: runs whose truth is known
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    proof: Proof,
    /// The document whose tables are written
    #[arg(long, value_name = "FILE", global = true)]
    document: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Proof {
    /// Simulated runs over synthetic backgrounds
    Simulate(simulation::Args),
    /// Real runs against a server that burns a known time
    Real(measurement::Args),
    /// Real runs of the same thing, and of a thing that does 3 % more, compared as those that are kept
    Runs(between::Args),
    /// Real runs of `unladen bill` over kinds of pages of known cost
    Bills(bills::Args),
    /// Faults made on purpose, and which rules fire
    Findings(matrix::Args),
    /// Fleets of up to 10,000 nodes: what their purges cost, for docs/concepts/fleet.md
    Fleet,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let document = cli.document.unwrap_or_else(document::default_path);
    if matches!(cli.proof, Proof::Real(_) | Proof::Runs(_) | Proof::Bills(_) | Proof::Findings(_)) {
        interrupt::take_down_first();
    }
    let done: Result<bool, Box<dyn std::error::Error>> = match cli.proof {
        Proof::Simulate(args) => simulation::prove(&args, &document).map_err(Into::into),
        Proof::Real(args) => measurement::prove(&args, &document),
        Proof::Runs(args) => between::prove(&args, &document),
        Proof::Bills(args) => bills::prove(&args, &document),
        Proof::Findings(args) => matrix::prove(&args, &document),
        Proof::Fleet => fleets::write(&document).map_err(Into::into),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("unladen-accuracy: {error}");
            ExitCode::FAILURE
        }
    }
}

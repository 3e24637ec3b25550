//! Benches side by side with the peers.
//!
//! ```text
//! cargo run --release -p unladen-bench                  # all of them
//! cargo run --release -p unladen-bench -- read client   # these
//! ```
//! Each prints ratios from one interleaved run (A B A B …): the medians, and the least and the most.
//! docs/reference/benches.md says what each of them shows.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "results go to stdout, progress to stderr")]

mod account;
mod agents;
mod application;
mod bench;
mod cache;
mod calls;
mod certificates;
mod children;
mod classmap;
mod client;
mod comparison;
mod contestant;
mod counting;
mod crowd;
mod fastcgi;
mod figures;
mod files;
mod fleet;
mod lag;
mod log;
mod metronome;
mod overload;
mod php_fpm;
mod processes;
mod processors;
mod program;
mod proxy;
mod read;
mod reference;
mod roles;
mod running;
mod schedule;
mod scratch;
mod share;
mod stall;
mod stamps;
mod store;
mod subject;
mod template;
mod tools;
mod trace;
mod weights;

use std::process::ExitCode;

use clap::Parser;

pub(crate) use bench::{Bench, Options, Result};

const BENCHES: &[Bench] = &[
    read::BENCH,
    share::BENCH,
    client::BENCH,
    lag::BENCH,
    agents::BENCH,
    stall::BENCH,
    reference::BENCH,
    weights::BENCH,
    trace::BENCH,
    classmap::BENCH,
    store::BENCH,
    log::BENCH,
    proxy::BENCH,
    cache::BENCH,
    files::BENCH,
    fastcgi::BENCH,
    overload::BENCH,
    fleet::BENCH,
];

/// What it does then, with all arguments but the first.
type Role = fn(&[String]) -> Result<()>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match role(&arguments) {
        Some(role) => role(&arguments[1..]),
        None => run(Cli::parse()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unladen-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What this program is besides the bench, if the first argument says so.
fn role(arguments: &[String]) -> Option<Role> {
    let role: Role = match arguments.first()?.as_str() {
        roles::SLEEP => |_| crowd::sleep(),
        roles::TICK => |_| crowd::tick(),
        roles::SPAWN => crowd::spawn,
        roles::CLIENT => client::be_the_client,
        roles::KEEP => subject::keep,
        roles::METRONOME => metronome::be_the_metronome,
        roles::SERVER => stamps::serve,
        roles::MEASURE => classmap::measure,
        roles::APPLICATION => |_| application::be_the_application(),
        _ => return None,
    };
    Some(role)
}

/// Benches side by side with the peers, each printing ratios from one interleaved run
#[derive(Debug, Parser)]
struct Cli {
    /// Rounds; each round runs every contestant once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Of one bench with several cases, those to run
    #[arg(long, value_name = "CASE", value_delimiter = ',')]
    only: Vec<String>,
    /// Of one bench of servers, the contestants, and paths of programs of ours
    #[arg(long, value_name = "NAME|PATH", value_delimiter = ',')]
    proxy: Vec<String>,
    /// All of them without a name
    #[arg(value_name = "NAME", value_parser = BENCHES.iter().map(|bench| bench.name).collect::<Vec<_>>())]
    benches: Vec<String>,
}

fn run(cli: Cli) -> Result<()> {
    let is_narrowed = !cli.only.is_empty() || !cli.proxy.is_empty();
    let with_cases =
        [proxy::BENCH.name, cache::BENCH.name, files::BENCH.name, fastcgi::BENCH.name, overload::BENCH.name];
    if is_narrowed && !matches!(&cli.benches[..], [bench] if with_cases.contains(&bench.as_str())) {
        return Err(format!("--only and --proxy are of one of the benches {}", with_cases.join(", ")).into());
    }
    let rounds = cli.rounds.map(|rounds| rounds as usize);
    let options = Options { rounds, only: cli.only, proxies: cli.proxy };
    for bench in
        BENCHES.iter().filter(|bench| cli.benches.is_empty() || cli.benches.iter().any(|name| name == bench.name))
    {
        println!("== {}: {}", bench.name, bench.about);
        (bench.run)(&options)?;
        println!();
    }
    Ok(())
}

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

mod cache;
mod children;
mod classmap;
mod client;
mod clock;
mod crowd;
mod figures;
mod install;
mod lag;
mod pauses;
mod peers;
mod proxy;
mod read;
mod record;
mod roles;
mod schedule;
mod scratch;
mod server;
mod share;
mod stall;
mod subject;
mod tool;
mod trace;
mod unladen;
mod weights;

use std::error::Error;
use std::process::ExitCode;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One bench; its name is what the command line takes.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn(&Options) -> Result<()>,
}

const BENCHES: &[Bench] = &[
    read::BENCH,
    share::BENCH,
    client::BENCH,
    lag::BENCH,
    stall::BENCH,
    weights::BENCH,
    trace::BENCH,
    classmap::BENCH,
    proxy::BENCH,
    cache::BENCH,
];

/// What the command line says beside names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Rounds; each round runs every contestant once.
    pub(crate) rounds: Option<usize>,
    /// Of a bench with several cases, those to run; all if there are none.
    pub(crate) only: Vec<String>,
    /// Of the benches `proxy` and `cache`, the contestants; all if there are none.
    pub(crate) proxies: Vec<String>,
}

impl Options {
    /// Rounds, unless the bench is to take another number.
    pub(crate) fn rounds_or(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match roles::of(&arguments) {
        Some(role) => role(&arguments[1..]),
        None => run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unladen-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let mut options = Options::default();
    let mut chosen = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                let rounds = arguments.next().ok_or("--rounds takes a number")?.parse()?;
                if rounds == 0 {
                    return Err("--rounds takes a number above 0".into());
                }
                options.rounds = Some(rounds);
            }
            "--only" => options.only.extend(list(arguments.next(), "--only takes names of cases")?),
            "--proxy" => options.proxies.extend(list(arguments.next(), "--proxy takes names or paths")?),
            "-h" | "--help" => {
                usage();
                return Ok(());
            }
            name => {
                let known = || BENCHES.iter().map(|bench| bench.name).collect::<Vec<_>>().join(", ");
                let bench = BENCHES.iter().find(|bench| bench.name == name);
                chosen.push(bench.ok_or_else(|| format!("there is no bench `{name}`: there are {}", known()))?);
            }
        }
    }
    let is_narrowed = !options.only.is_empty() || !options.proxies.is_empty();
    let has_cases = |name| [proxy::BENCH.name, cache::BENCH.name].contains(&name);
    if is_narrowed && !matches!(chosen[..], [bench] if has_cases(bench.name)) {
        let (one, other) = (proxy::BENCH.name, cache::BENCH.name);
        return Err(format!("--only and --proxy are of one of the benches `{one}` and `{other}`").into());
    }
    if chosen.is_empty() {
        chosen = BENCHES.iter().collect();
    }
    for bench in chosen {
        println!("== {}: {}", bench.name, bench.about);
        (bench.run)(&options)?;
        println!();
    }
    Ok(())
}

/// `a,b`
fn list(argument: Option<&String>, otherwise: &'static str) -> Result<Vec<String>> {
    Ok(argument.ok_or(otherwise)?.split(',').map(str::to_owned).collect())
}

fn usage() {
    println!("unladen-bench [--rounds N] [NAME…]");
    println!("unladen-bench [--rounds N] proxy|cache [--only CASE,…] [--proxy NAME|PATH,…]\n");
    for bench in BENCHES {
        println!("  {:8} {}", bench.name, bench.about);
    }
}

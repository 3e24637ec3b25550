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

mod agents;
mod bench;
mod cache;
mod children;
mod classmap;
mod client;
mod clock;
mod crowd;
mod fastcgi;
mod figures;
mod files;
mod fleet;
mod install;
mod lag;
mod overload;
mod pauses;
mod peers;
mod postgres;
mod proxy;
mod read;
mod record;
mod reference;
mod result;
mod rig;
mod roles;
mod schedule;
mod scratch;
mod server;
mod share;
mod stall;
mod store;
mod subject;
mod tool;
mod tools;
mod trace;
mod unladen;
mod weights;

use std::process::ExitCode;

pub(crate) use bench::{Bench, Options};
pub(crate) use result::Result;

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

/// What this program is besides the bench, if the first argument says so.
fn role(arguments: &[String]) -> Option<Role> {
    let role: Role = match arguments.first()?.as_str() {
        roles::SLEEP => |_| crowd::sleep(),
        roles::TICK => |_| crowd::tick(),
        roles::SPAWN => crowd::spawn,
        roles::CLIENT => tools::be_the_client,
        roles::KEEP => subject::keep,
        roles::METRONOME => tools::be_the_metronome,
        roles::SERVER => server::serve,
        roles::MEASURE => classmap::measure,
        roles::CALLERS => rig::be_the_callers,
        roles::ORIGIN => |_| cache::be_the_origin(),
        roles::SINK => |_| proxy::be_the_sink(),
        roles::LOADER => rig::be_the_loader,
        _ => return None,
    };
    Some(role)
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
    let with_cases =
        [proxy::BENCH.name, cache::BENCH.name, files::BENCH.name, fastcgi::BENCH.name, overload::BENCH.name];
    if is_narrowed && !matches!(chosen[..], [bench] if with_cases.contains(&bench.name)) {
        return Err(format!("--only and --proxy are of one of the benches {}", with_cases.join(", ")).into());
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

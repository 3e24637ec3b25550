//! `run-tests MESSAGES [RUNG | PROGRAM]…` runs the test programs that cargo has built, as its JSON messages in the file
//! MESSAGES name them. The principal type is [`Program`].
//!
//! A program that measures says so in the first lines of its source (see [`Kind`]). It runs alone, as its figures would
//! be those of its neighbours too; only one that waits nearly all of its time may be beside it. The others run several at a time, as many as the machine has idle time for (see
//! [`Lanes`](lanes::Lanes)), and those first that say that they take long (see [`Mark`](mark::Mark)). The output of
//! each stays together, and reads as `cargo test` prints it. A test that fails runs once more, alone: see [`Retry`].

mod cpu;
mod doctests;
mod kind;
mod lanes;
mod mark;
mod outcome;
mod program;
mod queue;
mod retry;
mod rung;
mod schedule;
mod summary;
mod times;

use std::process::ExitCode;
use std::time::Instant;

use crate::doctests::doctests;
use crate::kind::Kind;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::retry::Retry;
use crate::rung::Rung;
use crate::summary::Summary;
use crate::times::Times;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(messages) = args.next() else {
        eprintln!("usage: run-tests MESSAGES [serve | measure | rest | PROGRAM]…");
        return ExitCode::from(2);
    };
    match run(&messages, &args.collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all is well.
fn run(messages: &str, wanted: &[String]) -> Result<bool, String> {
    let begun = Instant::now();
    let text = std::fs::read_to_string(messages).map_err(|error| format!("{messages}: {error}"))?;
    let rung = Rung::of(wanted);
    let programs: Vec<Program> = program::read(&text)?.into_iter().filter(|program| rung.has(program)).collect();
    if let Some(name) = rung.missing(&programs) {
        return Err(format!("no test program is called {name}"));
    }
    let (alone, beside): (Vec<_>, Vec<_>) = programs.into_iter().partition(|program| program.kind == Kind::Measures);

    let mut outcomes =
        told("beside each other", || schedule::beside(beside, rung.has_doctests().then_some(doctests as fn() -> _)));
    outcomes.extend(told("that measure", || schedule::alone(alone)));

    let retries = Retry::of(&outcomes);
    let summary = Summary::new(&outcomes, &retries);
    summary.print(begun.elapsed());
    Ok(summary.is_good())
}

/// Runs programs, and tells how long it took, and how much more the machine could have done meanwhile.
fn told(which: &str, run: impl FnOnce() -> Vec<Outcome>) -> Vec<Outcome> {
    let (begun, then) = (Instant::now(), Times::read());
    let outcomes = run();
    let idle = then.zip(Times::read()).map(|(then, now)| {
        let [idle, stolen] = [now.idle_since(then), now.stolen_since(then)].map(|share| share * 100.0);
        format!("; processors idle: {idle:.0} %, stolen by the hypervisor: {stolen:.1} %")
    });
    let (count, time) = (outcomes.len(), begun.elapsed().as_secs_f64());
    println!("test: {count} programs {which} took {time:.0} s{}", idle.unwrap_or_default());
    outcomes
}

//! Which programs run when: [`beside`] and [`alone`].

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::outcome::Outcome;
use crate::program::Program;

/// One program more at a time than the machine has cores: tests of servers wait most of the time.
const MORE: usize = 1;

/// Runs programs several at a time, and with them what else takes some time. Prints the output of each when it ends.
pub(crate) fn beside(programs: Vec<Program>, also: Option<fn() -> Outcome>) -> Vec<Outcome> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(VecDeque::from(programs));
    let ended = Mutex::new(Vec::new());
    let end = |outcome: Outcome| {
        let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        // Within the lock, so that nothing else is printed in between.
        print(&outcome);
        ended.push(outcome);
    };
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        let (end, next) = (&end, &next);
        if let Some(also) = also {
            scope.spawn(move || end(also()));
        }
        for _ in 0..cores + MORE {
            scope.spawn(move || {
                while let Some(program) = next() {
                    end(Outcome::of(program, &[]));
                }
            });
        }
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs programs one after the other, with nothing beside them.
pub(crate) fn alone(programs: Vec<Program>) -> Vec<Outcome> {
    let run = |program| {
        let outcome = Outcome::of(program, &[]);
        print(&outcome);
        outcome
    };
    programs.into_iter().map(run).collect()
}

fn print(outcome: &Outcome) {
    if let Some(program) = &outcome.program {
        let executable = &program.executable;
        let shown =
            std::env::current_dir().ok().and_then(|folder| executable.strip_prefix(folder).ok().map(Into::into));
        println!("     Running {} ({})", program.title, shown.unwrap_or_else(|| executable.clone()).display());
    }
    println!("{}", outcome.output);
}

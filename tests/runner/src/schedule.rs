//! Which programs run when: [`beside`] and [`alone`].

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::lanes::Lanes;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::queue::Queue;

/// Between two looks at whether there is room for one more.
const LOOK: Duration = Duration::from_millis(500);

/// Runs programs several at a time, and with them what else takes some time. Prints the output of each when it ends.
pub(crate) fn beside(programs: Vec<Program>, also: Option<fn() -> Outcome>) -> Vec<Outcome> {
    let (mut lanes, mut queue) = (Lanes::new(), Queue::new(programs));
    let mut outcomes = Vec::new();
    std::thread::scope(|scope| {
        let (ends, ended) = mpsc::channel();
        // What is no program has no lane: it computes, and others wait.
        let mut others = 0;
        if let Some(also) = also {
            let ends = ends.clone();
            others = 1;
            scope.spawn(move || drop(ends.send(also())));
        }
        let (mut running, mut long) = (0, 0);
        loop {
            while !queue.is_empty() && lanes.has_room(running) {
                let Some(program) = queue.next(long, lanes.least()) else { break };
                running += 1;
                long += usize::from(program.is_long);
                let ends = ends.clone();
                scope.spawn(move || drop(ends.send(Outcome::of(program, &[]))));
            }
            if running + others == 0 {
                break;
            }
            let outcome = match ended.recv_timeout(LOOK) {
                Ok(outcome) => outcome,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match &outcome.program {
                Some(program) => {
                    running -= 1;
                    long -= usize::from(program.is_long);
                }
                None => others = 0,
            }
            print(&outcome);
            outcomes.push(outcome);
        }
    });
    outcomes
}

/// Runs programs that measure, one after the other. Those that wait nearly all of their time leave the others their
/// processors: they are a second row beside the first.
pub(crate) fn alone(programs: Vec<Program>) -> Vec<Outcome> {
    let (waiting, others): (Vec<_>, Vec<_>) = programs.into_iter().partition(|program| program.waits);
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| row(waiting));
        let mut outcomes = row(others);
        outcomes.extend(beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        outcomes
    })
}

fn row(programs: Vec<Program>) -> Vec<Outcome> {
    let run = |program| {
        let outcome = Outcome::of(program, &[]);
        print(&outcome);
        outcome
    };
    programs.into_iter().map(run).collect()
}

/// In one piece, as another row may print too.
fn print(outcome: &Outcome) {
    let mut text = String::new();
    if let Some(program) = &outcome.program {
        let executable = &program.executable;
        let shown =
            std::env::current_dir().ok().and_then(|folder| executable.strip_prefix(folder).ok().map(Into::into));
        let shown = shown.unwrap_or_else(|| executable.clone());
        text = format!("     Running {} ({})\n", program.title, shown.display());
    }
    println!("{text}{}", outcome.output);
}

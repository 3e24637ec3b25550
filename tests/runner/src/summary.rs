//! The principal type is [`Summary`]: what is told at the end of all tests.

use std::time::Duration;

use crate::kind::Kind;
use crate::mark::Mark;
use crate::outcome::{Counts, Outcome};
use crate::program::Program;
use crate::retry::Retry;

/// So many of the slowest programs are told.
const SLOWEST: usize = 10;
/// So many lines of what a failed test said are told once more at the end.
const LINES: usize = 20;
/// A program that takes so long is to begin early.
const LONG: Duration = Duration::from_secs(75);

/// What is told at the end of all tests.
pub(crate) struct Summary<'a> {
    outcomes: &'a [Outcome],
    retries: &'a [Retry],
}

impl<'a> Summary<'a> {
    pub(crate) fn new(outcomes: &'a [Outcome], retries: &'a [Retry]) -> Self {
        Self { outcomes, retries }
    }

    /// Whether each program ended well, or each of its failed tests did when it ran again.
    pub(crate) fn is_good(&self) -> bool {
        self.failing().is_empty()
    }

    /// Programs with a test that failed for good.
    fn failing(&self) -> Vec<&'a Outcome> {
        let passed_again = |outcome: &Outcome| {
            let mut own = self.retries.iter().filter(|retry| retry.program == outcome.name()).peekable();
            own.peek().is_some() && own.all(|retry| retry.passed)
        };
        self.outcomes.iter().filter(|outcome| !outcome.is_good && !passed_again(outcome)).collect()
    }

    pub(crate) fn print(&self, time: Duration) {
        println!("The slowest programs, and what they take of the processors:");
        let mut slowest: Vec<&Outcome> = self.outcomes.iter().collect();
        slowest.sort_by_key(|outcome| std::cmp::Reverse(outcome.time));
        for outcome in slowest.iter().take(SLOWEST) {
            let measures = outcome.program.as_ref().is_some_and(|program| program.kind == Kind::Measures);
            let alone = if measures { " (alone)" } else { "" };
            let [time, cpu] = [outcome.time, outcome.cpu].map(|time| time.as_secs_f64());
            println!("{time:7.1} s {cpu:7.1} s  {}{alone}", outcome.name());
        }
        for outcome in self.outcomes.iter().filter(|outcome| is_late(outcome)) {
            println!("{} would begin earlier by a line `{}…`", outcome.name(), Mark::Long.line());
        }
        println!();
        let is_flaky = |retry: &&Retry| retry.passed;
        for retry in self.retries.iter().filter(is_flaky) {
            let how = match retry.kind {
                Kind::Independent => "failed beside other programs and passed alone",
                Kind::Measures => "failed and passed when it ran again",
            };
            println!("FLAKY: {} {how}; at first:\n{}\n", retry.name(), retry.said);
        }
        let failing = self.failing();
        for outcome in &failing {
            let tests: Vec<String> =
                outcome.failed().into_iter().filter(|test| !self.has_passed(outcome, test)).collect();
            for said in tests.iter().filter_map(|test| outcome.said_by(test)) {
                println!("{}\n", said.lines().take(LINES).collect::<Vec<_>>().join("\n"));
            }
            println!(
                "FAILED: {}: {}",
                outcome.name(),
                if tests.is_empty() { "all of it".into() } else { tests.join(", ") }
            );
        }
        let sum = self.outcomes.iter().map(Outcome::counts).fold(Counts::default(), |sum, own| Counts {
            passed: sum.passed + own.passed,
            failed: sum.failed + own.failed,
            ignored: sum.ignored + own.ignored,
            skipped: sum.skipped + own.skipped,
        });
        let cpu: Duration = self.outcomes.iter().map(|outcome| outcome.cpu).sum();
        println!("test: all programs took {:.0} s of the processors", cpu.as_secs_f64());
        let flaky = self.retries.iter().filter(is_flaky).count();
        println!(
            "test: {} programs in {:.0} s: {} passed, {} failed, {} of them FLAKY, {} ignored, {} SKIPPED",
            self.outcomes.len(),
            time.as_secs_f64(),
            sum.passed,
            sum.failed,
            flaky,
            sum.ignored,
            sum.skipped,
        );
    }

    fn has_passed(&self, outcome: &Outcome, test: &str) -> bool {
        let name = outcome.name();
        self.retries.iter().any(|retry| retry.passed && retry.program == name && retry.test.as_deref() == Some(test))
    }
}

/// Whether others may have waited for it in the end: it takes long, and does not begin early.
fn is_late(outcome: &Outcome) -> bool {
    let begins_late = |program: &Program| program.kind == Kind::Independent && !program.is_long;
    outcome.time > LONG && outcome.program.as_ref().is_some_and(begins_late)
}

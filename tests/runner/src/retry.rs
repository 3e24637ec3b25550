//! The principal type is [`Retry`]: a test that failed, run once more.

use crate::kind::Kind;
use crate::outcome::Outcome;

/// So many of several thousand tests may fail once: neighbours of a virtual machine can take most of it for minutes. More of
/// them are no accident, and nothing runs again.
pub(crate) const MOST: usize = 12;

/// A test that failed, and ran once more with nothing beside it.
#[derive(Debug)]
pub(crate) struct Retry {
    /// The program's name.
    pub(crate) program: String,
    /// None: the program broke off, and all of it ran again.
    pub(crate) test: Option<String>,
    /// What was said when it failed first.
    pub(crate) said: String,
    pub(crate) kind: Kind,
    pub(crate) passed: bool,
}

impl Retry {
    /// Runs the failed tests of these programs again, if they are few.
    pub(crate) fn of(outcomes: &[Outcome]) -> Vec<Self> {
        let failed: Vec<(&Outcome, Option<String>)> = outcomes
            .iter()
            .filter(|outcome| !outcome.is_good && outcome.program.is_some())
            .flat_map(|outcome| {
                let tests = outcome.failed();
                let none = tests.is_empty().then_some((outcome, None));
                tests.into_iter().map(move |test| (outcome, Some(test))).chain(none)
            })
            .collect();
        if failed.len() > MOST {
            println!("test: {} tests failed: these are too many to run each once more", failed.len());
            return Vec::new();
        }
        failed.into_iter().filter_map(|(outcome, test)| Self::one(outcome, test)).collect()
    }

    fn one(first: &Outcome, test: Option<String>) -> Option<Self> {
        let program = first.program.clone()?;
        let (name, kind) = (first.name(), program.kind);
        println!("test: once more, alone: {name} {}", test.as_deref().unwrap_or_default());
        let again = Outcome::of(program, test.as_slice());
        println!("{}", again.output);
        // A test that was not found would be none that passed.
        let passed = again.is_good && again.counts().passed > 0;
        let said = match &test {
            Some(test) => first.said_by(test).unwrap_or_default().to_owned(),
            None => first.output.clone(),
        };
        Some(Self { program: name, test, said, kind, passed })
    }

    /// The test, or the whole program.
    pub(crate) fn name(&self) -> String {
        match &self.test {
            Some(test) => format!("{test} ({})", self.program),
            None => self.program.clone(),
        }
    }
}

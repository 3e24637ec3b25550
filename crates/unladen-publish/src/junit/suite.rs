//! The principal type is [`Suite`]: the test cases of one document.

use std::io::{self, Write};
use std::time::Duration;

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use unladen_compare::Comparison;
use unladen_document::{About, Document};

use crate::visible::{command_line, shortened, visible, visible_lines};

/// Maximum test cases: GitLab refuses a report of 250,000 objects.
const CASES: usize = 10_000;
/// Maximum characters of a name or a message.
const NAME: usize = 500;
/// Maximum characters of a text.
const TEXT: usize = 20_000;

pub(super) enum Outcome {
    Passed(String),
    /// `message` is a sentence, `text` everything.
    Failed {
        kind: String,
        message: String,
        text: String,
    },
    /// The test itself could not be carried out.
    Broken {
        message: String,
    },
    Skipped(String),
}

pub(super) struct Suite {
    suite: TestSuite,
    report: Report,
    left_out: usize,
}

impl Suite {
    /// Suite of a result. For measurements, the first case is whether the run was complete.
    pub(super) fn of(document: &Document) -> Self {
        let verb = document.verb();
        let (ended, elapsed_ns) = match document {
            Document::Weigh(weigh) => (weigh.ended.as_str(), weigh.elapsed_ns),
            Document::Load(load) => (load.ended.as_str(), load.elapsed_ns),
            Document::Prove(prove) => (prove.ended.as_str(), prove.elapsed_ns),
            Document::Profile(profile) => {
                profile.setup.as_ref().map_or(("", 0), |setup| (setup.ended.as_str(), setup.elapsed_ns))
            }
            Document::Bill(bill) => (bill.ended.as_str(), bill.elapsed_ns),
            Document::ProfileDiff(_) | Document::ClassmapCheck(_) => ("", 0),
        };
        let title = match document {
            Document::Prove(prove) if !prove.title.is_empty() => &prove.title,
            _ => document.target(),
        };
        let mut suite = Self::new(verb, title);
        suite.about(document.about());
        suite.suite.set_time(Duration::from_nanos(elapsed_ns));
        let remarks = document.warnings().join("\n");
        let outcome = match ended {
            "" | "complete" => Outcome::Passed(remarks),
            "interrupted" => Outcome::Broken { message: "the run was interrupted".to_owned() },
            _ => Outcome::Broken { message: "the run failed".to_owned() },
        };
        // A check measures nothing.
        if !matches!(document, Document::ClassmapCheck(_)) {
            suite.case(verb, "the run was completed", outcome);
        }
        suite
    }

    pub(super) fn of_comparison(comparison: &Comparison) -> Self {
        let mut suite = Self::new("compare", &comparison.after.target);
        if let Some(time) = comparison.after.time.as_ref().and_then(|time| DateTime::parse_from_rfc3339(time).ok()) {
            suite.suite.set_timestamp(time);
        }
        let run = |side: &unladen_compare::Side| side.id.clone().or_else(|| side.time.clone()).unwrap_or_default();
        suite.property("before", &run(&comparison.before));
        suite.property("after", &run(&comparison.after));
        suite
    }

    fn new(verb: &str, title: &str) -> Self {
        let name = format!("unladen {verb}: {}", name(title));
        Self { suite: TestSuite::new(name), report: Report::new("unladen"), left_out: 0 }
    }

    fn about(&mut self, about: &About) {
        let time = about.time.as_ref().and_then(|time| DateTime::parse_from_rfc3339(time).ok());
        if let Some(time) = time {
            self.suite.set_timestamp(time);
            self.report.set_timestamp(time);
        }
        let seed = about.seed.map(|seed| seed.to_string());
        let commit = about.revision.as_ref().and_then(|revision| revision.commit.as_ref());
        let known = [("version", &about.version), ("host", &about.host), ("seed", &seed), ("commit", &commit.cloned())]
            .map(|(name, value)| (name, value.clone()));
        for (name, value) in known {
            if let Some(value) = value {
                self.property(name, &value);
            }
        }
        for (label, value) in &about.labels {
            self.property(&format!("label.{label}"), value);
        }
        if !about.command.is_empty() {
            self.property("command", &command_line(&about.command));
        }
    }

    fn property(&mut self, label: &str, value: &str) {
        self.suite.add_property(Property::new(name(label), name(value)));
    }

    /// Adds a case. Class and name are constant across runs: readers recognise new cases by them.
    pub(super) fn case(&mut self, verb: &str, title: &str, outcome: Outcome) {
        if self.suite.test_cases.len() >= CASES {
            self.left_out += 1;
            return;
        }
        let mut status = match &outcome {
            Outcome::Passed(_) => TestCaseStatus::success(),
            Outcome::Failed { .. } => TestCaseStatus::non_success(NonSuccessKind::Failure),
            Outcome::Broken { .. } => TestCaseStatus::non_success(NonSuccessKind::Error),
            Outcome::Skipped(_) => TestCaseStatus::skipped(),
        };
        let mut said = None;
        match outcome {
            Outcome::Passed(found) => said = Some(found).filter(|found| !found.is_empty()),
            Outcome::Failed { kind, message, text } => {
                status.set_type(name(&kind)).set_message(name(&message)).set_description(body(&text));
            }
            Outcome::Broken { message } | Outcome::Skipped(message) => {
                status.set_message(name(&message));
            }
        }
        let mut case = TestCase::new(name(title), status);
        case.set_classname(format!("unladen.{verb}"));
        if let Some(said) = said {
            case.set_system_out(body(&said));
        }
        self.suite.add_test_case(case);
    }

    pub(super) fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.left_out > 0 {
            let left_out = self.left_out.to_string();
            self.property("cases left out", &left_out);
        }
        self.report.add_test_suite(self.suite);
        self.report.serialize(out).map_err(io::Error::other)
    }
}

fn name(text: &str) -> String {
    shortened(&visible(text), NAME)
}

fn body(text: &str) -> String {
    shortened(&visible_lines(text), TEXT)
}

//! JUnit's XML, for the test reports of Jenkins, GitLab and others: [`Junit`].
//!
//! There is no standard. These documents use what all readers share: `testsuites`, `testsuite` with `properties`,
//! `testcase` with `failure`, `error`, `skipped` or `system-out`.

use std::io::{self, Write};

use unladen_compare::Comparison;
use unladen_document::Document;

use crate::publication::Publication;

mod classmap;
mod comparison;
mod findings;
mod gates;
mod suite;

use suite::Suite;

pub(crate) struct Junit;

impl Publication for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "a report of tests, as Jenkins and GitLab show them: a test each condition, rule or metric"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn document(&self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let mut suite = Suite::of(document);
        match document {
            Document::Weigh(weigh) => findings::weigh(weigh, &mut suite),
            Document::Profile(profile) => findings::profile(profile, &mut suite),
            Document::Load(load) => gates::gates(&load.gates, "load", &mut suite),
            Document::Prove(prove) => gates::prove(prove, &mut suite),
            Document::ProfileDiff(_) => {}
            Document::ClassmapCheck(check) => classmap::classmap(check, &mut suite),
        }
        suite.write(out)
    }

    fn comparison(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let mut suite = Suite::of_comparison(comparison);
        comparison::comparison(comparison, &mut suite);
        suite.write(out)
    }
}

#[cfg(test)]
mod tests;

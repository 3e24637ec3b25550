//! JSON for programs: one document, described in docs/reference/json.md.

use std::io::{self, Write};

use serde::Serialize;
use unladen_document::{
    About, Count, Document, Finding, Gate, NextStep, NotJudged, NotLookedFor, Statement, Traced, WeighDocument,
};
use unladen_quantity::inert_json;

use crate::format::{Format, Report};
use crate::style::Style;

pub(crate) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "one JSON document, its schema unladen.<command>/1"
    }

    fn write(&self, report: Report<'_>, _: Style, out: &mut dyn Write) -> io::Result<()> {
        let document = report.document();
        let text = match &document {
            Document::Weigh(document) if matches!(report, Report::Inside(..)) => {
                serde_json::to_string_pretty(&Findings::of(document))?
            }
            _ => serde_json::to_string_pretty(&document)?,
        };
        writeln!(out, "{}", inert_json(&text))
    }
}

/// What `--replay` makes of an earlier run's evidence: the same document, without what was not measured anew.
#[derive(Serialize)]
struct Findings<'a> {
    schema: &'a str,
    #[serde(flatten)]
    about: &'a About,
    target: &'a str,
    requests: u64,
    weights: [(); 0],
    findings: &'a [Finding],
    counts: &'a [Count],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    statements: &'a [Statement],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    next_steps: &'a [NextStep],
    not_looked_for: &'a [NotLookedFor],
    not_judged: &'a [NotJudged],
    lost_events: u64,
    traced: &'a [Traced],
    gates: &'a [Gate],
}

impl<'a> Findings<'a> {
    fn of(document: &'a WeighDocument) -> Self {
        Self {
            schema: &document.schema,
            about: &document.about,
            target: &document.target,
            requests: document.requests,
            weights: [],
            findings: &document.findings,
            counts: &document.counts,
            statements: &document.statements,
            next_steps: &document.next_steps,
            not_looked_for: &document.not_looked_for,
            not_judged: &document.not_judged,
            lost_events: document.lost_events,
            traced: &document.traced,
            gates: &document.gates,
        }
    }
}

#[cfg(test)]
mod tests;

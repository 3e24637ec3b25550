//! Runs `unladen weigh`, and reads what it finds. The principal types are [`Looked`] and [`Found`].

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::real::{Binaries, RealError};

/// How to look.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub time: Duration,
    pub phase: Duration,
    pub settle: Duration,
    pub record: Option<&'a Path>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Looked {
    pub found: Vec<Found>,
    /// Groups of processes that were looked into.
    groups: Vec<String>,
}

/// A finding, as far as it is needed.
#[derive(Debug, Clone, Deserialize)]
pub struct Found {
    pub rule: String,
    pub group: String,
    /// What was seen, in a sentence.
    pub summary: String,
    evidence: Evidence,
    share: Share,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Evidence {
    figures: Vec<Figure>,
}

#[derive(Debug, Clone, Deserialize)]
struct Figure {
    per_request: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Share {
    #[serde(default)]
    of: Option<String>,
    #[serde(default)]
    value: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct Document {
    findings: Vec<Found>,
    counts: Vec<Count>,
    not_looked_for: Vec<NotLooked>,
}

#[derive(Debug, Deserialize)]
struct Count {
    group: String,
}

#[derive(Debug, Deserialize)]
struct NotLooked {
    rules: Vec<String>,
    why: String,
}

impl Look<'_> {
    /// Looks.
    pub fn at(&self, url: &str, binaries: &Binaries) -> Result<Looked, RealError> {
        let time = |time: Duration| OsString::from(humantime::format_duration(time).to_string());
        let mut arguments = ["weigh", url, "--json", "--quiet", "--group-by", "exe"].map(OsString::from).to_vec();
        for (option, value) in [("--time", self.time), ("--phase", self.phase), ("--settle", self.settle)] {
            arguments.extend([option.into(), time(value)]);
        }
        arguments.extend(self.record.into_iter().flat_map(|path| ["--record".into(), path.into()]));
        let text = binaries.unladen(arguments)?;
        let document: Document = serde_json::from_slice(&text).map_err(RealError::of("unladen weigh"))?;
        // Without a look inside, nothing found would be nothing said. (First requests take a restart, and are not
        // looked at.)
        match document.not_looked_for.iter().find(|missing| missing.rules.iter().any(|rule| rule == "stat-storm")) {
            Some(missing) => Err(RealError::failed(format!("unladen weigh could not look inside: {}", missing.why))),
            None => {
                let groups = document.counts.into_iter().map(|count| count.group).collect();
                Ok(Looked { found: document.findings, groups })
            }
        }
    }
}

impl Looked {
    /// Whether a program was looked into: on a busy machine a few seconds may not tell that it follows.
    pub fn saw(&self, program: &str) -> bool {
        self.groups.iter().any(|group| group.rsplit(' ').next().is_some_and(|name| name.starts_with(program)))
    }
}

impl Found {
    /// One of so much a request.
    pub fn new(rule: &str, group: &str, summary: &str, figure: f64) -> Self {
        let evidence = Evidence { figures: vec![Figure { per_request: figure }] };
        Self { rule: rule.into(), group: group.into(), summary: summary.into(), evidence, share: Share::default() }
    }

    /// The first of its figures, which says how often; 0 without any.
    pub fn figure(&self) -> f64 {
        self.evidence.figures.first().map_or(0.0, |figure| figure.per_request)
    }

    /// The part of the request, 0 to 1; 0 where it is not known.
    pub fn part(&self) -> f64 {
        self.share.value.unwrap_or(0.0)
    }

    /// `12 % of latency`; nothing where it is not known.
    pub fn share(&self) -> String {
        match (&self.share.of, self.share.value) {
            (Some(of), Some(value)) => format!("{:.1} % of {of}", value * 100.0),
            _ => "not known".into(),
        }
    }
}

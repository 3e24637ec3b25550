//! The principal type is [`Knob`]: what switches a fix on and off, so that `unladen prove` can measure its effect.

use crate::part::Part;

/// What switches a fix on and off; see `docs/reference/experiments.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knob {
    pub name: String,
    /// Files of its own: they hold these lines while it is on, and their earlier content while it is off.
    pub files: Vec<Part>,
    pub commands: Option<(String, String)>,
    pub service: Option<KnobService>,
    /// What must exist beforehand, and does nothing by itself.
    pub once: Vec<Once>,
    pub site: Option<KnobSite>,
    /// Header (name and value) without which a request shows no difference.
    pub header: Option<(String, String)>,
    /// What changes in the responses, in the words of `expect_change`; empty if only the work behind them changes.
    pub changes: Vec<String>,
}

/// A service that reads the files of a knob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobService {
    pub name: String,
    pub restart: Option<String>,
    /// It is the application's own process: a command for fresh processes makes it read its settings too.
    pub is_application: bool,
}

/// A command to run if its result does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    pub makes: String,
    pub command: String,
}

/// `unladen serve` in front of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobSite {
    pub lines: Vec<String>,
    /// Port on 127.0.0.1.
    pub port: u16,
    pub url: String,
    pub host: String,
}

impl Knob {
    pub(crate) fn of_file(name: &str, file: &str, lines: &[String], service: Option<KnobService>) -> Self {
        let part = Part { file: file.to_owned(), lines: lines.to_vec(), group: None };
        Self { name: name.to_owned(), files: vec![part], service, ..Self::default() }
    }
}

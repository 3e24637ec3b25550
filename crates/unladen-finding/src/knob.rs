//! The principal type is [`Knob`]: what switches a fix on and off, so that `unladen prove` can tell what it changes.

use crate::part::Part;

/// What switches a fix on and off; one in `docs/reference/experiments.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knob {
    /// What reports call it.
    pub name: String,
    /// Files of the fix's own: they hold these lines while it is on, and are as they were while it is off.
    pub files: Vec<Part>,
    /// Shell commands that switch it, on and off.
    pub commands: Option<(String, String)>,
    /// Who reads those files.
    pub service: Option<KnobService>,
    /// What has to have been made before, and does nothing by itself.
    pub once: Vec<Once>,
    /// `unladen serve` in front of the page.
    pub site: Option<KnobSite>,
    /// A header without which a request shows no difference, name and value.
    pub header: Option<(String, String)>,
    /// What of the answers it changes, in the words of `expect_change`; empty where only the work behind them changes.
    pub changes: Vec<String>,
}

/// A service that reads the files of a knob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobService {
    /// What the experiment calls it.
    pub name: String,
    /// The command that has it read them; none: it is not known.
    pub restart: Option<String>,
    /// It is the application's own process, which a command for fresh processes makes read its settings too.
    pub is_application: bool,
}

/// A command that is run if what it makes is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    pub makes: String,
    pub command: String,
}

/// `unladen serve` in front of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnobSite {
    /// Its configuration.
    pub lines: Vec<String>,
    /// The port of 127.0.0.1 on which it listens.
    pub port: u16,
    /// The page through it.
    pub url: String,
    /// The name by which the page is called.
    pub host: String,
}

impl Knob {
    /// A file of the fix's own, and who reads it.
    pub(crate) fn of_file(name: &str, file: &str, lines: &[String], service: Option<KnobService>) -> Self {
        let part = Part { file: file.to_owned(), lines: lines.to_vec(), group: None };
        Self { name: name.to_owned(), files: vec![part], service, ..Self::default() }
    }
}

//! The principal type is [`Side`]: one of two runs.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_document::Document;

/// One of two runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Side {
    /// How the user called it: its number in the store, or a file. Who compares sets it.
    pub id: Option<String>,
    /// The command that made it.
    pub verb: String,
    /// The URLs.
    pub target: String,
    /// When it ended: RFC 3339, UTC.
    pub time: Option<String>,
    /// The measuring machine.
    pub host: Option<String>,
    /// The version of Unladen.
    pub version: Option<String>,
    /// The commit of the application.
    pub commit: Option<String>,
    /// Whether its files differed from the commit.
    pub dirty: Option<bool>,
    /// What the user called the run.
    pub labels: BTreeMap<String, String>,
}

impl Side {
    /// What a document says of its run.
    pub fn of(document: &Document) -> Self {
        let about = document.about();
        let revision = about.revision.as_ref();
        Self {
            id: None,
            verb: document.verb().to_owned(),
            target: document.target().to_owned(),
            time: about.time.clone(),
            host: about.host.clone(),
            version: about.version.clone(),
            commit: revision.and_then(|revision| revision.commit.clone()),
            dirty: revision.and_then(|revision| revision.dirty),
            labels: about.labels.clone(),
        }
    }
}

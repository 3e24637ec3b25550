//! The principal type is [`Side`]: one of two runs.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_document::Document;

/// One of two runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Side {
    /// The user's name for it: number in the store, or a file. Set by the caller of the comparison.
    pub id: Option<String>,
    pub verb: String,
    pub target: String,
    pub time: Option<String>,
    pub host: Option<String>,
    pub version: Option<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
    pub labels: BTreeMap<String, String>,
}

impl Side {
    /// Reads a document's description of its run.
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

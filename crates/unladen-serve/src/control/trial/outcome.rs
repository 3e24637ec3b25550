//! The principal type is [`Trial`]: something that serving needs, and what came of connecting to it.

use serde::Serialize;

/// Something that serving needs and that was connected to, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// Of which table: `site`, `outbound`, `fleet` or `tier`.
    pub table: &'static str,
    pub name: String,
    /// `upstream` (of a site, its application), `validator`, `channel` (what tells a validator of changes), `shared answers`,
    /// `authority` (of a certificate), `bus`, `peer` or `rate limit service`.
    pub what: &'static str,
    /// Of a validator, the pages that are meant.
    pub path: Option<String>,
    /// Where: a URL, without a password.
    pub place: String,
    /// One address of it, if it has an address.
    pub address: Option<String>,
    /// What is spoken there; null: nothing.
    pub spoken: Option<&'static str>,
    /// What is not as it should be, though it works; null: nothing.
    pub doubt: Option<String>,
    /// The word for why not, and the cause; null: nothing is wrong.
    pub failed: Option<Failed>,
}

/// Why something cannot be connected to.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// The word for it, as in logs.
    pub reason: &'static str,
    /// What happened, and what to do.
    pub cause: String,
}

impl Trial {
    /// Nothing has come of it yet.
    pub(super) fn of(table: &'static str, name: &str, what: &'static str, place: String) -> Self {
        let name = name.to_owned();
        Self { table, name, what, path: None, place, address: None, spoken: None, doubt: None, failed: None }
    }

    pub(super) fn failed(self, reason: &'static str, cause: String) -> Self {
        Self { failed: Some(Failed { reason, cause }), ..self }
    }
}

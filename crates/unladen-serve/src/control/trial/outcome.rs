//! The principal type is [`Trial`]: something that serving needs, and the result of connecting to it.

use serde::Serialize;

/// Something that serving needs, and the result of connecting to it.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// `site`, `outbound`, `fleet` or `tier`.
    pub table: &'static str,
    pub name: String,
    /// `upstream` (for a site, its application), `validator`, `channel` (which tells a validator of changes), `shared
    /// answers`, `authority` (of certificates), `bus`, `peer` or `rate limit service`.
    pub what: &'static str,
    /// Pages of a validator.
    pub path: Option<String>,
    /// URL without a password.
    pub place: String,
    pub address: Option<String>,
    /// Protocol spoken there, if known.
    pub spoken: Option<&'static str>,
    /// A problem that does not keep it from working.
    pub doubt: Option<String>,
    pub failed: Option<Failed>,
}

/// Why something cannot be connected to.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// Reason code, as in logs.
    pub reason: &'static str,
    pub cause: String,
}

impl Trial {
    pub(super) fn of(table: &'static str, name: &str, what: &'static str, place: String) -> Self {
        let name = name.to_owned();
        Self { table, name, what, path: None, place, address: None, spoken: None, doubt: None, failed: None }
    }

    pub(super) fn failed(self, reason: &'static str, cause: String) -> Self {
        Self { failed: Some(Failed { reason, cause }), ..self }
    }
}

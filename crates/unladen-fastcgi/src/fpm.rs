//! The principal type is [`Status`]: the state of a PHP-FPM pool, from its status page. [`get_values`] and
//! [`read_values`]: variables of an application (FastCGI 1.0, section 4.1).
//!
//! Source: PHP manual, "The PHP-FPM status page" (`pm.status_path`), in its JSON form (`?json`).

use serde::Deserialize;

use crate::params::Params;
use crate::record::{Fault, GET_VALUES, GET_VALUES_RESULT, HEADER, Header, write_record};

/// Longest page that is read: the short form has some 400 bytes.
pub const MOST_BYTES: usize = 16 * 1024;

/// The state of a PHP-FPM pool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    pub pool: String,
    /// `static`, `dynamic` or `ondemand`.
    #[serde(rename = "process manager")]
    pub manager: String,
    /// Requests accepted since the start.
    #[serde(rename = "accepted conn")]
    pub accepted: u64,
    /// Connections waiting to be accepted. Linux reports this for TCP alone; for a Unix socket it is 0.
    #[serde(rename = "listen queue")]
    pub waiting: u64,
    #[serde(rename = "idle processes")]
    pub idle: u32,
    /// Processes serving a connection: including the one that makes this page, and those of kept connections.
    #[serde(rename = "active processes")]
    pub active: u32,
    /// The maximum of `active` since the start.
    #[serde(rename = "max active processes")]
    pub most_active: u32,
    /// How often `pm.max_children` was exceeded, since the start.
    #[serde(rename = "max children reached")]
    pub max_children_reached: u64,
}

/// Why a status page cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    #[error("it is not PHP-FPM's status page (`pm.status_path`) in JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is longer than {MOST_BYTES} bytes")]
    Long,
}

impl Status {
    /// Parses the page.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn parse(page: &[u8]) -> Result<Self, StatusError> {
        if page.len() > MOST_BYTES {
            return Err(StatusError::Long);
        }
        Ok(serde_json::from_slice(page)?)
    }

    /// Current processes. With `dynamic` and `ondemand` there can be more later, up to `pm.max_children`, which the
    /// page does not show.
    pub fn workers(&self) -> u32 {
        self.idle.saturating_add(self.active)
    }
}

/// Asks for the variables of the specification: concurrent connections and requests, and whether requests share a
/// connection. PHP-FPM returns its number of processes only if `pm.max_children` is in its environment
/// (`FCGI_MAX_CONNS` is 1 otherwise): its [status](crate::fpm) tells more.
pub fn get_values(out: &mut Vec<u8>) {
    let names = ["FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS"];
    let asked = Params(names.iter().map(|name| (name.as_bytes().to_vec(), Vec::new())).collect());
    write_record(out, GET_VALUES, 0, &asked.encode());
}

/// Parses the answer; `None` if it is incomplete.
///
/// # Errors
/// If it is invalid.
pub fn read_values(bytes: &[u8]) -> Result<Option<Params>, Fault> {
    let Some(header) = Header::read(bytes)? else { return Ok(None) };
    if header.kind != GET_VALUES_RESULT || header.request != 0 {
        return Err(Fault::Kind(header.kind));
    }
    let Some(content) = bytes.get(HEADER..HEADER + usize::from(header.length)) else { return Ok(None) };
    Params::decode(content).map(Some).ok_or(Fault::Values)
}

#[cfg(test)]
mod tests;

//! The principal type is [`Status`]: how a pool of PHP-FPM does, from its status page.
//!
//! Source: PHP manual, "The PHP-FPM status page" (`pm.status_path`), in its JSON form (`?json`).

use serde::Deserialize;

/// Longest page that is read: the short form has some 400 bytes.
pub const MOST_BYTES: usize = 16 * 1024;

/// How a pool of PHP-FPM does.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Status {
    /// The pool's name.
    pub pool: String,
    /// `static`, `dynamic` or `ondemand`.
    #[serde(rename = "process manager")]
    pub manager: String,
    /// Requests that were taken since it started.
    #[serde(rename = "accepted conn")]
    pub accepted: u64,
    /// Connections that wait to be taken. Linux tells this of TCP alone; of a Unix socket it is 0.
    #[serde(rename = "listen queue")]
    pub waiting: u64,
    /// Processes that wait for a connection.
    #[serde(rename = "idle processes")]
    pub idle: u32,
    /// Processes that serve one: the one that makes this page is among them, and so are those of connections that are
    /// kept.
    #[serde(rename = "active processes")]
    pub active: u32,
    /// The most of these at a time, since it started.
    #[serde(rename = "max active processes")]
    pub most_active: u32,
    /// How often a process was wanted beyond `pm.max_children`, since it started.
    #[serde(rename = "max children reached")]
    pub max_children_reached: u64,
}

/// Why a page tells nothing.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    #[error("it is not the status page of PHP-FPM (`pm.status_path`) as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is longer than {MOST_BYTES} bytes")]
    Long,
}

impl Status {
    /// Reads the page.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(page: &[u8]) -> Result<Self, StatusError> {
        if page.len() > MOST_BYTES {
            return Err(StatusError::Long);
        }
        Ok(serde_json::from_slice(page)?)
    }

    /// Processes there are now. With `dynamic` and `ondemand` there can come to be more, up to `pm.max_children`, which
    /// the page does not tell.
    pub fn workers(&self) -> u32 {
        self.idle.saturating_add(self.active)
    }
}

#[cfg(test)]
mod tests;

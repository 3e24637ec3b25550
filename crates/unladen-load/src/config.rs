//! The principal type is [`DriverConfig`]: configuration of a [`Driver`](crate::Driver).
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::{DriverConfig, HttpVersion, Request};
//!
//! let page = Request::get("https://wiki.example/")?.build()?;
//! let config = DriverConfig {
//!     concurrency: 4,
//!     http: HttpVersion::Http2,
//!     timeout: Duration::from_secs(10),
//!     ..DriverConfig::new(vec![page])
//! };
//! assert!(config.keep_alive && config.rate.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Duration;

use crate::error::LoadError;
use crate::expect::Expect;
use crate::http_version::HttpVersion;
use crate::request::Request;
use crate::target::ConnectTo;
use crate::tls::TlsOptions;
use crate::typed::RATES;

/// Maximum of workers: beyond it a client runs out of ports and descriptors before the server runs out of time.
const MOST_WORKERS: usize = 10_000;
const TIMEOUTS: std::ops::RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(24 * 3600);

/// What to send, where, and which answers are right.
#[derive(Clone, Debug)]
pub struct DriverConfig {
    pub requests: Vec<Request>,
    pub connect_to: Option<ConnectTo>,
    /// Concurrent requests, 1 to 10,000.
    pub concurrency: usize,
    /// Otherwise each request opens a connection and closes it.
    pub keep_alive: bool,
    /// Send back cookies as a browser does: one user with cookies of its own per concurrent request. Otherwise each
    /// request is a stranger's.
    pub keep_cookies: bool,
    pub http: HttpVersion,
    /// Requests a second of all workers together; without it each worker sends when its last request is done.
    pub rate: Option<f64>,
    /// Limit of a request, with its connection, 1 ms to 24 h.
    pub timeout: Duration,
    /// Limit of resolving a name, and of opening a connection, each 1 ms to 24 h.
    pub connect_timeout: Duration,
    pub tls: TlsOptions,
    pub expect: Expect,
    /// Limit of a body, bytes.
    pub max_body: u64,
}

impl DriverConfig {
    /// One keep-alive worker, back to back, at most 30 s a request, 10 s a connection and 256 MiB a body.
    pub fn new(requests: Vec<Request>) -> Self {
        Self {
            requests,
            connect_to: None,
            concurrency: 1,
            keep_alive: true,
            keep_cookies: true,
            http: HttpVersion::default(),
            rate: None,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            tls: TlsOptions::default(),
            expect: Expect::default(),
            max_body: 256 << 20,
        }
    }

    pub(crate) fn check(&self) -> Result<(), LoadError> {
        let refuse = |what, value: String, expected| Err(LoadError::Config { what, value, expected });
        if self.requests.is_empty() {
            return refuse("list of requests", "empty".into(), "at least one");
        }
        check_concurrency(self.concurrency)?;
        if let Some(rate) = self.rate.filter(|rate| !RATES.contains(rate)) {
            return refuse("rate", rate.to_string(), "0.001 to 10,000,000 requests a second");
        }
        for (what, timeout) in [("timeout", self.timeout), ("connect timeout", self.connect_timeout)] {
            if !TIMEOUTS.contains(&timeout) {
                return refuse(what, format!("{timeout:?}"), "1 ms to 24 h");
            }
        }
        Ok(())
    }
}

pub(crate) fn check_concurrency(concurrency: usize) -> Result<(), LoadError> {
    if (1..=MOST_WORKERS).contains(&concurrency) {
        return Ok(());
    }
    Err(LoadError::Config { what: "concurrency", value: concurrency.to_string(), expected: "1 to 10,000" })
}

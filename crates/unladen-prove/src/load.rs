//! The principal type is [`Load`]: number, rate and form of an experiment's requests.
//!
//! ```
//! use unladen_prove::{Budget, Load, Pace};
//!
//! let load = Load::new(Pace::Closed { concurrency: 4 }, Budget::Requests(1000));
//! assert!(load.keep_alive && load.phase.is_none());
//! ```

use std::time::Duration;

use http::Method;
use unladen_load::{Arrivals, Expect, Header, HttpVersion, TlsOptions};

/// What is sent; table `[load]` of the file.
#[derive(Clone, Debug)]
pub struct Load {
    pub pace: Pace,
    pub budget: Budget,
    /// How long an arm runs at a stretch; without it the runner chooses.
    pub phase: Option<Duration>,
    /// How long requests after each switch are not counted; may be zero.
    pub warmup: Duration,
    pub timeout: Duration,
    pub headers: Vec<Header>,
    pub cookies: Vec<String>,
    /// Overrides the methods of the list of URLs.
    pub method: Option<Method>,
    pub body: String,
    pub expect: Expect,
    pub tls: TlsOptions,
    pub http: HttpVersion,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    /// Commands that lead to the sending hosts, with optional names before; empty for this host.
    pub from: Vec<String>,
}

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    Open {
        /// Requests a second, finite and above 0.
        rate: f64,
        arrivals: Arrivals,
    },
    /// By workers, each when its last request is done (a closed loop).
    Closed {
        /// At least 1.
        concurrency: usize,
    },
}

/// Number of requests, or duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Requests(u64),
    Time(Duration),
}

impl Load {
    /// GET over kept connections, with the time limits of [`unladen_load::DriverConfig::new`] and no warm-up.
    pub fn new(pace: Pace, budget: Budget) -> Self {
        Self {
            pace,
            budget,
            phase: None,
            warmup: Duration::ZERO,
            timeout: Duration::from_secs(30),
            headers: Vec::new(),
            cookies: Vec::new(),
            method: None,
            body: String::new(),
            expect: Expect::default(),
            tls: TlsOptions::default(),
            http: HttpVersion::default(),
            keep_alive: true,
            keep_cookies: true,
            from: Vec::new(),
        }
    }
}

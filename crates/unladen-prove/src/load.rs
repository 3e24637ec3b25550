//! The principal type is [`Load`]: how many requests an experiment sends, how fast, and in which shape.
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
    /// When requests are sent.
    pub pace: Pace,
    /// When there have been enough.
    pub budget: Budget,
    /// How long an arm runs at a stretch; without it the runner chooses.
    pub phase: Option<Duration>,
    /// How long requests are sent and not counted after each switch; zero for none.
    pub warmup: Duration,
    /// The longest that one request may take.
    pub timeout: Duration,
    /// Headers of every request. A header knob replaces those of its name.
    pub headers: Vec<Header>,
    /// Cookies of every request, `name=value`.
    pub cookies: Vec<String>,
    /// The method, instead of what the list of URLs says.
    pub method: Option<Method>,
    /// The body of every request.
    pub body: String,
    /// Which answers are right.
    pub expect: Expect,
    /// Whom to trust.
    pub tls: TlsOptions,
    /// Which version of HTTP to speak.
    pub http: HttpVersion,
    /// Use connections again.
    pub keep_alive: bool,
    /// Send back the cookies that answers set, as a browser does.
    pub keep_cookies: bool,
    /// Where requests are sent from: commands that lead to other hosts, with or without a name before; empty for here.
    pub from: Vec<String>,
}

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// At moments that do not depend on the answers (an open loop).
    Open {
        /// Requests a second, finite and above 0.
        rate: f64,
        /// How the moments are spread.
        arrivals: Arrivals,
    },
    /// By so many workers, each when its last request is done (a closed loop).
    Closed {
        /// How many, at least 1.
        concurrency: usize,
    },
}

/// When there have been enough requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many of each arm.
    Requests(u64),
    /// So long for the whole experiment.
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

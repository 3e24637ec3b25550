//! The principal type is [`Experiment`]: what is measured, resolved from its file or made in code.
//!
//! ```
//! use unladen_prove::{Budget, Experiment, Load, Pace};
//!
//! let load = Load::new(Pace::Closed { concurrency: 1 }, Budget::Requests(1000));
//! let experiment = Experiment::of_urls("http://127.0.0.1:8080/".parse()?, "http://127.0.0.1:8081/".parse()?, load);
//! let arms = experiment.arms();
//! assert_eq!(arms.len(), 3, "A, A again and B");
//! assert_eq!(experiment.requests(&arms[2])?[0].url().port(), Some(8081));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use http::HeaderName;
use unladen_load::{Request, RequestError, UrlLine};
use unladen_lockin::{Arm, Design};
use url::Url;

use crate::knob::Wanted;
use crate::knob_spec::KnobSpec;
use crate::load::Load;
use crate::ready::Service;

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Absolute; `None` if it was made in code.
    pub file: Option<PathBuf>,
    pub folder: PathBuf,
    /// Title in reports; by default the name of its file.
    pub title: String,
    pub design: Design,
    pub urls: Vec<UrlLine>,
    /// Number of restarts of all services, the outer level of the experiment; 1 for none.
    pub restarts: u32,
    pub cold: Option<Cold>,
    pub quantiles: Vec<Quantile>,
    pub within: Vec<Duration>,
    pub expect_change: Vec<AnswerPart>,
    pub load: Load,
    pub services: Vec<Service>,
    pub knobs: Vec<KnobSpec>,
}

/// How requests are made cold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cold {
    pub command: String,
    /// Cold requests of each arm in each block, at least 1.
    pub requests: u32,
}

impl Experiment {
    /// Compares two URLs; the baseline is `a`, the candidate `b`, and nothing is switched.
    pub fn of_urls(a: Url, b: Url, load: Load) -> Self {
        Self {
            file: None,
            folder: PathBuf::from("."),
            title: format!("{a} against {b}"),
            design: Design::Ab,
            urls: vec![UrlLine::get(a)],
            restarts: 1,
            cold: None,
            quantiles: Quantile::USUAL.to_vec(),
            within: Vec::new(),
            expect_change: Vec::new(),
            load,
            services: Vec::new(),
            knobs: vec![KnobSpec::of_url(b)],
        }
    }

    /// The arms: the baseline, the baseline again, then the others of the design.
    pub fn arms(&self) -> Vec<Arm> {
        let names: Vec<&str> = self.knobs.iter().map(|knob| knob.name.as_str()).collect();
        self.design.arms(&names)
    }

    /// Requests of an arm: one for each URL, in order. Fails when a cookie, or a URL that was changed in code, makes no
    /// request.
    pub fn requests(&self, arm: &Arm) -> Result<Vec<Request>, RequestError> {
        let mut wanted = Wanted { urls: self.urls.clone(), headers: self.load.headers.clone() };
        for (knob, on) in self.knobs.iter().zip(&arm.on) {
            knob.changes.iter().for_each(|change| change.request(*on, &mut wanted));
        }
        wanted.urls.iter().map(|line| self.request(line, &wanted)).collect()
    }

    fn request(&self, line: &UrlLine, wanted: &Wanted) -> Result<Request, RequestError> {
        let mut builder = line.request()?;
        if let Some(method) = &self.load.method {
            builder = builder.method(method.as_str())?;
        }
        for header in &wanted.headers {
            builder = builder.header(header.clone());
        }
        for cookie in &self.load.cookies {
            builder = builder.cookie(cookie)?;
        }
        builder.body(self.load.body.clone()).build()
    }
}

/// Maximum digits of a name: `p99999` is one request in 100,000.
const MOST_DIGITS: u32 = 5;

/// A quantile between 0 and 1, written as `p` and its percentage.
///
/// ```
/// use unladen_prove::Quantile;
///
/// let quantile: Quantile = "p999".parse()?;
/// assert_eq!(quantile.share(), 0.999);
/// assert_eq!(quantile.to_string(), "p999");
/// assert_eq!("p99.9".parse::<Quantile>()?, quantile);
/// # Ok::<(), unladen_prove::QuantileError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    /// In units of 10⁻⁵.
    parts: u32,
}

/// Why a quantile was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a quantile: expected something like p50, p95 or p99.9")]
pub struct QuantileError {
    pub text: String,
}

// === impl Quantile ===

impl Quantile {
    /// The median, p90, p95 and p99, the default of an experiment.
    pub const USUAL: [Self; 4] =
        [Self { parts: 50_000 }, Self { parts: 90_000 }, Self { parts: 95_000 }, Self { parts: 99_000 }];

    /// Share of requests at or below it, above 0 and below 1.
    pub fn share(self) -> f64 {
        f64::from(self.parts) / 1e5
    }
}

impl FromStr for Quantile {
    type Err = QuantileError;

    fn from_str(text: &str) -> Result<Self, QuantileError> {
        let parts = || {
            let number = text.strip_prefix('p')?;
            let (whole, rest) = number.split_once('.').unwrap_or_else(|| number.split_at(number.len().min(2)));
            // "p5" is the 5th percentile, "p99.9" and "p999" the same.
            let digits = format!("{whole:0>2}{rest}");
            let count = u32::try_from(digits.len()).ok()?;
            // p100 is not p10.0: the dot is only left out where people do it, from p90 on.
            let clear = number.len() <= 2 || number.contains('.') || number.starts_with('9');
            let plain =
                clear && digits.bytes().all(|byte| byte.is_ascii_digit()) && !whole.is_empty() && whole.len() <= 2;
            let parts = digits.parse::<u32>().ok().filter(|_| plain && count <= MOST_DIGITS)?;
            Some(parts * 10_u32.pow(MOST_DIGITS - count)).filter(|parts| *parts > 0)
        };
        // A multi-byte character at the cut would make split_at panic.
        let parts = if text.is_ascii() { parts() } else { None };
        parts.map(|parts| Self { parts }).ok_or_else(|| QuantileError { text: text.to_owned() })
    }
}

impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:05}", self.parts);
        let (whole, rest) = digits.split_at(2);
        write!(f, "p{whole}{}", rest.trim_end_matches('0'))
    }
}

/// A part of an answer that a knob is meant to change.
///
/// ```
/// use unladen_prove::AnswerPart;
///
/// assert_eq!("size".parse::<AnswerPart>()?, AnswerPart::Size);
/// assert_eq!("Vary".parse::<AnswerPart>()?.to_string(), "header vary");
/// assert!("two words".parse::<AnswerPart>().is_err());
/// # Ok::<(), unladen_prove::AnswerPartError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
pub enum AnswerPart {
    #[display("size of the body")]
    Size,
    #[display("status")]
    Status,
    #[display("body")]
    Body,
    #[display("cache that answers")]
    Cache,
    #[display("header {_0}")]
    Header(HeaderName),
}

/// Why a part was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a part of an answer: expected size, status, body, cache, or the name of a header such as Vary"
)]
pub struct AnswerPartError {
    pub text: String,
}

impl FromStr for AnswerPart {
    type Err = AnswerPartError;

    fn from_str(text: &str) -> Result<Self, AnswerPartError> {
        Ok(match text {
            "size" => Self::Size,
            "status" => Self::Status,
            "body" => Self::Body,
            "cache" => Self::Cache,
            name => Self::Header(name.parse().map_err(|_| AnswerPartError { text: text.to_owned() })?),
        })
    }
}

#[cfg(test)]
mod tests;

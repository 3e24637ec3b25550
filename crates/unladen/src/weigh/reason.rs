//! The principal type is [`Reason`]: why phases are long, for users who have to wait.

use std::fmt;
use std::time::Duration;

use crate::weigh::source_kind::SourceKind;

/// Why the phases of a run, or the run, are as long as they are. Its `Display` continues after "as".
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reason {
    /// The user said so (`--phase`).
    Given,
    /// The user's settle gap (`--settle`).
    GivenSettle(Duration),
    /// A source elsewhere that reports late, or is far away.
    Settle {
        settle: Duration,
        /// The source, if known.
        of: Option<(String, SourceKind)>,
    },
    /// Each phase has to hold some requests of this latency.
    Latency(Duration),
    /// Each phase has to hold some requests, and few are sent.
    Rate(f64),
    /// CPU time of reading the counters.
    Reading(Duration),
    /// Everything waits for a source elsewhere at each edge of phases.
    Edge {
        edge: Duration,
        /// The source, if known.
        of: Option<String>,
    },
    /// This many URLs take turns.
    Urls(usize),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => write!(f, "--phase says so"),
            Self::GivenSettle(settle) => write!(f, "the settle gap is {} (--settle)", time(*settle)),
            Self::Settle { settle, of: Some((name, SourceKind::Exporter)) } => {
                write!(f, "it takes up to {} until the exporter {name} tells what requests did", time(*settle))
            }
            Self::Settle { settle, of: Some((name, SourceKind::Host)) } => {
                write!(f, "the settle gap is {} for the way to {name}", time(*settle))
            }
            Self::Settle { settle, of: None } => write!(f, "the settle gap is {}", time(*settle)),
            Self::Latency(latency) => write!(f, "a request takes {}, and each phase holds several", time(*latency)),
            Self::Rate(rate) => {
                write!(f, "only {rate} requests a second are sent (--rate), and each phase holds several")
            }
            Self::Reading(cpu) => write!(f, "a reading of all counters takes {} of CPU", time(*cpu)),
            Self::Edge { edge, of } => {
                let of = of.as_deref().unwrap_or("other hosts");
                write!(f, "the answers of {of} take {} at each edge of phases", time(*edge))
            }
            Self::Urls(urls) => write!(f, "{urls} URLs take turns"),
        }
    }
}

/// `320 ms`, `7.5 s`
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds < 1.0 {
        true => format!("{:.0} ms", seconds * 1e3),
        false => format!("{seconds:.1} s"),
    }
}

/// `about 40 s`, `about 6 min`
pub(crate) fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("about {seconds} s"),
        seconds => format!("about {} min", (seconds + 30) / 60),
    }
}

/// Rounded up, in the format of `--time`: `12min`
pub(crate) fn minutes(time: Duration) -> String {
    format!("{}min", time.as_secs_f64().div_euclid(60.0) + 1.0)
}

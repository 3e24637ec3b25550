//! The principal type is [`Unfit`].

use std::fmt;
use std::time::Duration;

use unladen_quantity::{Kind, grouped, percent, plain};

use crate::taken::{LateBecause, Taken};

/// Why the generator was the bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfit {
    /// Text from a file of records.
    Told(String),
    /// It sent too late.
    Late {
        /// 99th percentile of lateness, in ns.
        p99: u64,
        /// Allowed lateness, in ns.
        limit: u64,
        /// What was taken from the machine meanwhile, if that explains it.
        because: Option<LateBecause>,
    },
    /// Its thread had no time left.
    Busy {
        /// Share of time that the thread worked, without waiting and spinning.
        share: f64,
        /// What was taken from the machine meanwhile, if notable: it is part of the thread's share.
        taken: Option<Taken>,
    },
    /// Records of requests were lost on the way from the sender.
    Unrecorded { requests: u64 },
    /// One of several agents was the bottleneck.
    Agent { name: String, unfit: Box<Unfit> },
    /// An agent did not reach its end.
    Lost {
        name: String,
        /// Last sign of life, since the start.
        at: Duration,
        /// Its planned requests of unknown fate; `None` if nothing was planned, as in a closed loop.
        missing: Option<u64>,
        /// What happened to it, as far as known.
        why: String,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(text) => f.write_str(text),
            Self::Unrecorded { requests } => write!(
                f,
                "records of {} requests were lost, as the way from there is too slow. They are counted, and their latencies are in \
                 all quantiles; they are in no table by request, step or second. Lower the rate, or send from more hosts",
                grouped(*requests as f64, 0)
            ),
            Self::Agent { name, unfit } => write!(f, "agent {name}: {unfit}"),
            Self::Lost { name, at, missing, why } => {
                let at = plain(Kind::Time, at.as_nanos() as f64);
                let missing = match missing {
                    Some(missing) => {
                        format!("{} of its planned requests are missing here", grouped(*missing as f64, 0))
                    }
                    None => "what it would have sent after that is missing here".to_owned(),
                };
                write!(f, "agent {name} was lost {at} after the start ({why}): {missing}")
            }
            Self::Late { p99, limit, because: None } => write!(
                f,
                "one request in a hundred was sent {} late or more, and {} is the most that leaves the latencies the server's: \
                 give unladen a core of its own, or lower the rate",
                plain(Kind::Time, *p99 as f64),
                plain(Kind::Time, *limit as f64),
            ),
            Self::Late { p99, limit, because: Some(because) } => write!(
                f,
                "one request in a hundred was sent {} late or more, and {} is the most that leaves the latencies the server's. {because}",
                plain(Kind::Time, *p99 as f64),
                plain(Kind::Time, *limit as f64),
            ),
            Self::Busy { share, taken: None } => write!(
                f,
                "its thread worked {} % of the time and could not have sent more: lower the rate, or send from another machine",
                percent(*share)
            ),
            Self::Busy { share, taken: Some(taken) } => write!(
                f,
                "its thread had work for {} % of the time and could not have sent more, while {taken}: send from another machine, or lower \
                 the rate",
                percent(*share)
            ),
        }
    }
}

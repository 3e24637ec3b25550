//! The principal type is [`Load`]: everything that `unladen load` saw.

use std::fmt;
use std::time::Duration;

use unladen_document::{Answer, Capacity, Gate, LoadAgent, LogLines, Machine, Slice};
use unladen_quantity::{Kind, grouped, percent, plain};

use crate::ended::Ended;
use crate::latency::Latency;
use crate::send_lag::SendLag;
use crate::statuses::statuses_text;
use crate::taken::{LateBecause, Taken};
use crate::warning::Warning;

/// The result of one load: the figures of `unladen.load/1`, whose schema describes each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    pub setup: LoadSetup,
    /// Answers to the first requests, as a trial; empty if other hosts sent them.
    pub answers: Vec<Answer>,
    /// Lines of the access log that the requests come from, if any.
    pub access_log: Option<LogLines>,
    pub ended: Ended,
    pub elapsed: Duration,
    /// Requests that were due; in a closed loop, those sent.
    pub planned: u64,
    pub requests: u64,
    pub throughput: f64,
    /// From the planned time, for all requests answered as expected or not answered in time.
    pub latency: Option<Latency>,
    /// Requests in `latency` that were not answered in time. They count with the time they waited, which is less than
    /// they would have taken.
    pub cut_short: u64,
    /// Share of all planned requests answered as expected within a time, shortest time first.
    pub within: Vec<(Duration, f64)>,
    pub new_connections: Option<ByConnection>,
    pub reused_connections: Option<ByConnection>,
    /// The generator's own lateness in ns, without opening connections. `None` in a closed loop.
    pub send_lag: Option<SendLag>,
    /// `None` in a closed loop.
    pub pacing: Option<Pacing>,
    /// Most frequent first.
    pub errors: Vec<ErrorCount>,
    /// In the order of the status, expected or not.
    pub statuses: Vec<(u16, u64)>,
    /// Never sent, because the maximum was under way until the end.
    pub unsent: u64,
    pub abandoned: u64,
    /// Planned requests of unknown fate, because the agent that was to send them was lost.
    pub missing: u64,
    /// Answers that differ from the first one to the same request.
    pub changed: u64,
    pub connections: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub body_bytes: u64,
    /// The client's own CPU, including threads for pacing and recording.
    pub client_cpu: Duration,
    /// Why the figures are not the server's; empty if they are.
    pub unfit: Vec<Unfit>,
    pub agents: Vec<LoadAgent>,
    pub by_request: Vec<ByRequest>,
    pub steps: Vec<StepResult>,
    /// The search, if the highest rate was asked for.
    pub capacity: Option<Capacity>,
    /// Slice by slice of time, for the picture.
    pub timeline: Vec<Slice>,
    /// (Latency in ns, share of `latency`'s requests at or below), for the picture.
    pub distribution: Vec<(u64, f64)>,
    pub gates: Vec<Gate>,
    pub machine: Option<Machine>,
    pub warnings: Vec<Warning>,
}

/// How a load was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadSetup {
    /// The URL, or "12 URLs of pages.txt".
    pub target: String,
    pub rate: Option<f64>,
    /// `constant` or `Poisson`; `None` in a closed loop.
    pub arrivals: Option<&'static str>,
    /// Maximum requests under way at once; in a closed loop always this many.
    pub concurrency: usize,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    pub http: String,
    pub seed: u64,
}

/// Requests on new or on reused connections.
#[derive(Debug, Clone, PartialEq)]
pub struct ByConnection {
    pub requests: u64,
    pub latency: Latency,
}

/// Cost of sending on time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// CPU spent waiting for planned times: wake-ups and spinning.
    pub cpu: Duration,
}

/// Failures of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCount {
    /// The kind's stable name, as in JSON: `connect`, `timeout`, `status`, …
    pub kind: &'static str,
    pub count: u64,
    pub first: String,
}

/// Why the generator was the bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfit {
    /// Text from a stored document.
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

/// One request of a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct ByRequest {
    pub name: String,
    pub requests: u64,
    pub errors: u64,
    pub latency: Option<Latency>,
}

/// One step of the schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    pub from: f64,
    pub to: f64,
    pub time: Duration,
    pub requests: u64,
    pub errors: u64,
    pub latency: Option<Latency>,
}

impl Load {
    /// Requests not answered as expected, including those never sent and those missing, but not those given up when the
    /// load was interrupted.
    pub fn failed(&self) -> u64 {
        let errors = self.errors.iter().map(|error| error.count);
        errors.chain([self.unsent, self.missing]).fold(0, u64::saturating_add)
    }

    /// Whether the planned load was not sent in full because an agent was lost.
    pub fn is_torn(&self) -> bool {
        self.agents.iter().any(|agent| agent.lost.is_some())
    }

    /// `116 × 200, 34 × 503`.
    pub fn statuses_text(&self) -> String {
        statuses_text(&self.statuses)
    }
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

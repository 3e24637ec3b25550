//! The principal type is [`Load`]: all that `unladen load` saw.

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

/// The result of one load.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// How it was sent.
    pub setup: LoadSetup,
    /// What came when the first requests were tried; empty where other hosts sent them.
    pub answers: Vec<Answer>,
    /// Where the requests were taken from an access log, what became of its lines.
    pub access_log: Option<LogLines>,
    pub ended: Ended,
    /// From the first planned request to the last answer.
    pub elapsed: Duration,
    /// Requests whose time had come; in a closed loop, those sent.
    pub planned: u64,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// Requests that were answered as expected, a second.
    pub throughput: f64,
    /// Of all requests that were answered as expected or not answered in time, from the planned time.
    pub latency: Option<Latency>,
    /// Of `latency`'s requests, those that were not answered in time: they stand in it with the time they waited, which
    /// is less than they would have taken.
    pub cut_short: u64,
    /// The share of all planned requests that were answered as expected within a time, the shortest time first.
    pub within: Vec<(Duration, f64)>,
    /// Separately by connection: those that opened one.
    pub new_connections: Option<ByConnection>,
    /// Those that went over one that was open.
    pub reused_connections: Option<ByConnection>,
    /// How late the generator was itself, in ns; the opening of connections not counted. None in a closed loop.
    pub send_lag: Option<SendLag>,
    /// What pacing cost. None in a closed loop.
    pub pacing: Option<Pacing>,
    /// What went wrong, the most frequent first.
    pub errors: Vec<ErrorCount>,
    /// Answers by status, expected or not, the lowest status first.
    pub statuses: Vec<(u16, u64)>,
    /// Requests planned and never sent: the most that may be under way were under way until the end.
    pub unsent: u64,
    /// Requests that were still under way when the load was interrupted.
    pub abandoned: u64,
    /// Requests planned of which nothing is known, as the agent that was to send them was lost.
    pub missing: u64,
    /// Answers that differed from the first one to the same request.
    pub changed: u64,
    /// Connections that were opened.
    pub connections: u64,
    /// Bytes of HTTP sent, before encryption.
    pub bytes_sent: u64,
    /// Bytes of HTTP received, after decryption.
    pub bytes_received: u64,
    /// Bytes of bodies.
    pub body_bytes: u64,
    /// The client's own CPU, threads for pacing and recording included.
    pub client_cpu: Duration,
    /// Why the figures are not the server's; empty if they are.
    pub unfit: Vec<Unfit>,
    /// The hosts that sent it; empty where this one did.
    pub agents: Vec<LoadAgent>,
    /// Request by request of the mix, if there are several.
    pub by_request: Vec<ByRequest>,
    /// Step by step, if there are several.
    pub steps: Vec<StepResult>,
    /// The search, if the highest rate was asked for.
    pub capacity: Option<Capacity>,
    /// Slice by slice of time, for the picture.
    pub timeline: Vec<Slice>,
    /// The distribution: (latency in ns, share of `latency`'s requests at or below), for the picture.
    pub distribution: Vec<(u64, f64)>,
    /// `--fail-on` conditions.
    pub gates: Vec<Gate>,
    /// What the machine did meanwhile; none of a load that was recorded earlier.
    pub machine: Option<Machine>,
    /// What the reader should know before believing it.
    pub warnings: Vec<Warning>,
}

/// How it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadSetup {
    /// What was asked for: the URL, or "12 URLs of pages.txt".
    pub target: String,
    /// Requests a second on average, as planned; none in a closed loop.
    pub rate: Option<f64>,
    /// `constant`, `Poisson`; none in a closed loop.
    pub arrivals: Option<&'static str>,
    /// The most requests under way at once; in a closed loop always so many.
    pub concurrency: usize,
    /// Whether connections are kept.
    pub keep_alive: bool,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// The version of HTTP spoken.
    pub http: String,
    /// The seed of arrivals and mix.
    pub seed: u64,
}

/// The requests of one kind of connection.
#[derive(Debug, Clone, PartialEq)]
pub struct ByConnection {
    pub requests: u64,
    pub latency: Latency,
}

/// What it cost to be punctual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// CPU spent waiting for planned times: waking up, and spinning.
    pub cpu: Duration,
}

/// Failures of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCount {
    /// The kind's stable name, as in JSON: `connect`, `timeout`, `status`, …
    pub kind: &'static str,
    pub count: u64,
    /// What the first of them said.
    pub first: String,
}

/// Why the generator was the bottleneck.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfit {
    /// As a document that was kept has it.
    Told(String),
    /// It sent too late.
    Late {
        /// 99 % were at most this late, ns.
        p99: u64,
        /// What it may be, ns.
        limit: u64,
        /// What was taken from the machine meanwhile, if that is why.
        because: Option<LateBecause>,
    },
    /// Its thread had no time left.
    Busy {
        /// The share of the time that the thread worked, waiting and spinning apart.
        share: f64,
        /// What was taken from the machine meanwhile, if that was much: the thread's share holds it.
        taken: Option<Taken>,
    },
    /// Records of requests were lost on the way from where they were sent.
    Unrecorded { requests: u64 },
    /// One of several agents was.
    Agent { name: String, unfit: Box<Unfit> },
    /// An agent did not come to its end.
    Lost {
        name: String,
        /// How long after the start the last was heard of it.
        at: Duration,
        /// Its planned requests of which nothing is known; none where nothing was planned, as in a closed loop.
        missing: Option<u64>,
        /// What became of it, as far as that is known.
        why: String,
    },
}

/// One request of a mix.
#[derive(Debug, Clone, PartialEq)]
pub struct ByRequest {
    pub name: String,
    /// Answered as expected.
    pub requests: u64,
    /// Failed.
    pub errors: u64,
    pub latency: Option<Latency>,
}

/// One step of the schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// Requests a second at its start.
    pub from: f64,
    /// At its end.
    pub to: f64,
    /// How long it was.
    pub time: Duration,
    /// Answered as expected.
    pub requests: u64,
    /// Failed, or never sent.
    pub errors: u64,
    pub latency: Option<Latency>,
}

impl Load {
    /// Requests that were not answered as expected, those that were never sent and those missing among them; those given
    /// up when the load was interrupted are not.
    pub fn failed(&self) -> u64 {
        let errors = self.errors.iter().map(|error| error.count);
        errors.chain([self.unsent, self.missing]).fold(0, u64::saturating_add)
    }

    /// Whether it was not the load that was planned, since an agent was lost.
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

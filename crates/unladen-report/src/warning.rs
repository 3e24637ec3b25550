//! The principal type is [`Warning`]: what the reader should know, and what to do next.

use std::fmt;
use std::time::Duration;

use unladen_quantity::{Kind, grouped, percent, plain};

use crate::unfit::{LateBecause, SpoiledBlocks, Taken};

/// A limit of what the result says. Each variant's text explains it.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    Remote {
        host: String,
    },
    /// The target is not on this machine, but other hosts were examined.
    RemoteAmong {
        host: String,
        hosts: Vec<String>,
    },
    NothingFollows,
    NothingFollowsAt {
        hosts: Vec<String>,
    },
    HostGone {
        host: String,
        /// Whole blocks until then.
        blocks: usize,
        /// Blocks needed for an interval.
        needed: usize,
        /// The reason, as last reported.
        last_words: String,
    },
    /// The settle gap is longer than usual because of the connection to a host.
    LongSettle {
        settle: Duration,
        host: String,
        /// Minimum for that connection.
        needed: Duration,
    },
    /// The agent on a host costs more than a hundredth of a core.
    CostlyAgent {
        host: String,
        share: f64,
    },
    /// Time was taken from a host's machine.
    TakenAt {
        host: String,
        taken: Taken,
        /// Blocks that it spoiled, if any.
        blocks: Option<SpoiledBlocks>,
    },
    /// A statement of a host or an exporter about itself.
    OfHost {
        host: String,
        note: String,
    },
    /// The groups that an experiment's requests pass through are unknown, or unknown from some point on.
    PathUnknown {
        why: String,
    },
    /// Nothing visible follows the requests, and not everything is visible.
    Hidden {
        /// What is not visible, why, and what to do.
        why: String,
    },
    /// The application saw users that it had not seen before.
    Strangers {
        strangers: u64,
    },
    /// The groups that requests pass through do nothing distinguishable from their other work.
    NotTold {
        groups: Vec<String>,
    },
    /// With so many groups examined, the blocks could not distinguish one of them from chance.
    TooFewBlocks {
        blocks: u64,
        needed: u64,
        /// Groups, and counters of the machine.
        looked_at: usize,
    },
    BodyChanges {
        url: String,
        /// Responses whose body differs from the first.
        changed: u64,
        requests: u64,
    },
    /// Other work took a good part of the machine.
    Busy {
        /// Processors kept busy while no requests ran.
        cores: f64,
        processors: u64,
    },
    /// Requests displaced other work.
    Displaced {
        groups: Vec<String>,
    },
    /// The plain mean lies outside the interval.
    Skewed {
        /// Group and counter.
        what: Vec<String>,
    },
    /// Records of ended processes were lost.
    Lost,
    /// The probes cost more than a hundredth of a core.
    CostlyProbes {
        share: f64,
    },
    /// Something could not be counted.
    Shortfall {
        missing: Vec<String>,
        /// What would enable it.
        takes: String,
    },
    /// A probe has nothing to read on this system.
    Unavailable {
        probe: String,
        why: String,
    },
    /// `--until` was not reached in time.
    NotReached {
        target: f64,
        reached: f64,
    },
    /// Planned phases would not have held enough requests.
    LongPhases {
        /// Length of a phase.
        seconds: f64,
        /// Reason, phrased to follow "as".
        why: String,
    },
    /// Connections were reopened because the server had closed them.
    Reconnected {
        times: u64,
    },
    /// Requests not answered in time are in the latencies with the time they waited.
    CutShort {
        requests: u64,
    },
    /// The maximum of requests was under way: from then on the load was closed, not open.
    Capped {
        concurrency: u64,
    },
    FewRequests {
        /// The figure: `p99`.
        what: String,
        requests: u64,
        needs: u64,
    },
    /// The baseline differs from itself beyond chance.
    SameArmDiffers {
        ratio: f64,
    },
    ErrorsInArm {
        arm: String,
        errors: u64,
        /// `116 × 200, 34 × 503`; empty if nothing was answered.
        statuses: String,
    },
    ChangedInArm {
        arm: String,
        changed: u64,
        requests: u64,
    },
    LateSends {
        /// 99th percentile, in ns.
        p99: u64,
        /// What was taken from the machine meanwhile, if that explains it.
        because: Option<LateBecause>,
    },
    Taken {
        taken: Taken,
        /// Blocks that it spoiled, if any.
        blocks: Option<SpoiledBlocks>,
    },
    NoReference {
        why: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote { host } => write!(
                f,
                "{host} is not this machine: the weights include only the work of this machine. Run unladen on the \
                 server."
            ),
            Self::RemoteAmong { host, hosts } => write!(
                f,
                "cannot see from here whether {host} is served by {}: the work of machines that were not named is in \
                 no figure. If the server runs on another machine, name that one, too (--host).",
                match hosts.as_slice() {
                    [one] => one.clone(),
                    several => format!("one of {}", several.join(", ")),
                }
            ),
            Self::NothingFollows => write!(
                f,
                "nothing on this machine follows the requests: either the server runs elsewhere (or where its /proc \
                 is hidden), or its work is below the noise floor. Measure longer (--time), or with more requests at \
                 once (-c)."
            ),
            Self::NothingFollowsAt { hosts } => write!(
                f,
                "nothing on this machine or on {} follows the requests: either the server runs elsewhere, or its work \
                 is below the noise floor. Name its host (--host), measure longer (--time), or with more requests at \
                 once (-c).",
                hosts.join(", ")
            ),
            Self::HostGone { host, blocks, needed, last_words } => {
                let had = format!("{blocks} whole block{}", if *blocks == 1 { "" } else { "s" });
                let what = if blocks < needed {
                    format!("the {had} until then are too few ({needed} are needed), so it is left out")
                } else {
                    format!("its figures, and sums with them, rest on the {had} until then")
                };
                write!(f, "{host} was lost: {}. {what}.", last_words.trim_end_matches('.'))
            }
            Self::LongSettle { settle, host, needed } => write!(
                f,
                "the settle gap is {} instead of the usual 100 ms: the counters of {host} need at least {} to show \
                 all the work of a request.",
                plain(Kind::Time, settle.as_nanos() as f64),
                plain(Kind::Time, needed.as_nanos() as f64)
            ),
            Self::CostlyAgent { host, share } => write!(
                f,
                "the agent used {:.1} % of one core of {host}: longer phases (--phase) lower that.",
                share * 100.0
            ),
            Self::TakenAt { host, taken, blocks: None } => write!(f, "{host}: {taken}."),
            Self::TakenAt { host, taken, blocks: Some(blocks) } => write!(f, "{host}: {taken}. {}", blocks.text(taken)),
            Self::OfHost { host, note } => write!(f, "{host}: {}.", note.trim_end_matches('.')),
            Self::PathUnknown { why } => write!(
                f,
                "not all groups on the requests' path are known ({}): weights are judged together for the known ones \
                 and those whose CPU follows the requests.",
                why.trim_end_matches('.')
            ),
            Self::Hidden { why } => write!(f, "no process that is visible here follows the requests: {why}."),
            Self::Strangers { strangers } => write!(
                f,
                "{} answers set cookies on requests without cookies: the application may have created and kept a \
                 session for each of them.",
                count(*strangers)
            ),
            Self::NotTold { groups } => write!(
                f,
                "the requests go through {}, but the CPU they take there is not distinguishable from other work. \
                 Measure longer (--time), with more requests at once (-c), or at a quieter time.",
                groups.join(", ")
            ),
            Self::TooFewBlocks { blocks, needed, looked_at } => write!(
                f,
                "{blocks} blocks are too few to be sure of any of the {looked_at} groups and counters: {needed} are enough. \
                 Measure longer (--time)."
            ),
            Self::BodyChanges { url, changed, requests } => write!(
                f,
                "{url}: {changed} of {requests} responses differed from the first. That is normal for pages with the time or a token; \
                 else check that every request does the same work."
            ),
            Self::Busy { cores, processors } => write!(
                f,
                "other work kept {cores:.1} of {processors} cores busy while no requests ran. On a busy machine a \
                 request's own CPU time is longer than on an idle one (shared caches, shared cores); these weights \
                 hold beside that work."
            ),
            Self::Displaced { groups } => write!(
                f,
                "less CPU while requests ran: {}. The machine was full, and the requests pushed this work aside.",
                groups.join(", ")
            ),
            Self::Skewed { what } => write!(
                f,
                "the plain mean lies outside the interval of {}: there was a burst of other work, or a few requests \
                 cost far more than the rest. The JSON result has both.",
                what.join(", ")
            ),
            Self::Lost => write!(
                f,
                "records of ended processes were lost, because too many ended at once. Weights marked ! are too low; \
                 use shorter phases (--phase)."
            ),
            Self::CostlyProbes { share } => {
                write!(f, "the probes used {:.1} % of one core: longer phases (--phase) lower that.", share * 100.0)
            }
            Self::Shortfall { missing, takes } => write!(f, "with {takes}, also: {}.", missing.join("; ")),
            Self::Unavailable { probe, why } => write!(f, "probe {probe} left out: {why}."),
            Self::NotReached { target, reached } => write!(
                f,
                "±{:.1} % was not reached, ±{:.1} % was: measure longer (--time).",
                target * 100.0,
                reached * 100.0
            ),
            Self::LongPhases { seconds, why } => {
                write!(f, "phases last {seconds:.1} s, because {why}: the run was made longer to fit.")
            }
            Self::Reconnected { times } => write!(
                f,
                "the server had closed a kept connection {times} time{}: its keep-alive limit is in the figures.",
                if *times == 1 { "" } else { "s" }
            ),
            Self::CutShort { requests } => write!(
                f,
                "{} request{} not answered in time: they are in the latencies with the time waited, which is less \
                 than they would have taken. Wait longer (--timeout), or lower the rate.",
                count(*requests),
                if *requests == 1 { " was" } else { "s were" }
            ),
            Self::Capped { concurrency } => write!(
                f,
                "{concurrency} requests ran at once, the most allowed; others had to wait, so the load was no longer \
                 open loop. Raise --concurrency, or lower the rate."
            ),
            Self::FewRequests { what, requests, needs } => {
                write!(
                    f,
                    "{requests} requests are too few for an interval of {what}: it needs {needs}. Measure \
                    longer (--time)."
                )
            }
            Self::SameArmDiffers { ratio } => write!(
                f,
                "the baseline differs from itself by {} %, more than chance allows: something else changes in step \
                 with the arms. Distrust all differences of that size, and measure again.",
                percent((ratio - 1.0).abs())
            ),
            Self::ErrorsInArm { arm, errors, statuses } => write!(
                f,
                "{arm}: {} request{} failed{}, and errors are often faster than pages. Make the arm work before comparing it.",
                count(*errors),
                if *errors == 1 { "" } else { "s" },
                if statuses.is_empty() { String::new() } else { format!(" (statuses: {statuses})") }
            ),
            Self::ChangedInArm { arm, changed, requests } => write!(
                f,
                "{arm}: {} of {} responses differed from the first. That is normal for pages with the time or a token; \
                 else check that every request does the same work.",
                count(*changed),
                count(*requests)
            ),
            Self::LateSends { p99, because: None } => write!(
                f,
                "one request in a hundred was sent at least {} late: the generator lacked a core. The lateness is in \
                 the latencies of all arms equally. Lower the rate, or give unladen a core of its own.",
                plain(Kind::Time, *p99 as f64)
            ),
            Self::LateSends { p99, because: Some(because) } => write!(
                f,
                "one request in a hundred was sent at least {} late. The lateness is in the latencies of all arms \
                 equally. {because}.",
                plain(Kind::Time, *p99 as f64)
            ),
            Self::NoReference { why } => {
                write!(f, "the machine's speed is not known, so other runs may not be comparable: {why}.")
            }
            Self::Taken { taken, blocks: None } => write!(f, "{taken}."),
            Self::Taken { taken, blocks: Some(blocks) } => write!(f, "{taken}. {}", blocks.text(taken)),
        }
    }
}

fn count(n: u64) -> String {
    grouped(n as f64, 0)
}

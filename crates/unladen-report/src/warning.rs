//! The principal type is [`Warning`]: what the reader should know, and what to do next.

use std::time::Duration;

use unladen_quantity::{Kind, grouped, percent, plain};

use crate::unfit::{LateBecause, SpoiledBlocks, Taken};

/// A limit of what the result says. Each variant's text explains it.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum Warning {
    #[display(
        "{host} is not this machine: the weights include only the work of this machine. Run unladen on the server."
    )]
    Remote { host: String },
    /// The target is not on this machine, but other hosts were examined.
    #[display(
        "cannot see from here whether {host} is served by {}: the work of machines that were not named is in no \
         figure. If the server runs on another machine, name that one, too (--host).",
        one_of(hosts)
    )]
    RemoteAmong { host: String, hosts: Vec<String> },
    #[display(
        "nothing on this machine follows the requests: either the server runs elsewhere (or where its /proc is \
         hidden), or its work is below the noise floor. Measure longer (--time), or with more requests at once (-c)."
    )]
    NothingFollows,
    #[display(
        "nothing on this machine or on {} follows the requests: either the server runs elsewhere, or its work is below \
         the noise floor. Name its host (--host), measure longer (--time), or with more requests at once (-c).",
        hosts.join(", ")
    )]
    NothingFollowsAt { hosts: Vec<String> },
    #[display("{host} was lost: {}. {}.", last_words.trim_end_matches('.'), what_is_left(*blocks, *needed))]
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
    #[display(
        "the settle gap is {} instead of the usual 100 ms: the counters of {host} need at least {} to show all the \
         work of a request.",
        plain(Kind::Time, settle.as_nanos() as f64), plain(Kind::Time, needed.as_nanos() as f64)
    )]
    LongSettle {
        settle: Duration,
        host: String,
        /// Minimum for that connection.
        needed: Duration,
    },
    /// The agent on a host costs more than a hundredth of a core.
    #[display("the agent used {:.1} % of one core of {host}: longer phases (--phase) lower that.", share * 100.0)]
    CostlyAgent { host: String, share: f64 },
    /// Time was taken from a host's machine.
    #[display("{host}: {taken}.{}", spoiled(blocks, taken))]
    TakenAt {
        host: String,
        taken: Taken,
        /// Blocks that it spoiled, if any.
        blocks: Option<SpoiledBlocks>,
    },
    /// A statement of a host or an exporter about itself.
    #[display("{host}: {}.", note.trim_end_matches('.'))]
    OfHost { host: String, note: String },
    /// The groups that an experiment's requests pass through are unknown, or unknown from some point on.
    #[display(
        "not all groups on the requests' path are known ({}): weights are judged together for the known ones and those \
         whose CPU follows the requests.",
        why.trim_end_matches('.')
    )]
    PathUnknown { why: String },
    /// Nothing visible follows the requests, and not everything is visible.
    #[display("no process that is visible here follows the requests: {why}.")]
    Hidden {
        /// What is not visible, why, and what to do.
        why: String,
    },
    /// The application saw users that it had not seen before.
    #[display(
        "{} answers set cookies on requests without cookies: the application may have created and kept a session for \
         each of them.",
        count(*strangers)
    )]
    Strangers { strangers: u64 },
    /// The groups that requests pass through do nothing distinguishable from their other work.
    #[display(
        "the requests go through {}, but the CPU they take there is not distinguishable from other work. Measure \
         longer (--time), with more requests at once (-c), or at a quieter time.",
        groups.join(", ")
    )]
    NotTold { groups: Vec<String> },
    /// With so many groups examined, the blocks could not distinguish one of them from chance.
    #[display(
        "{blocks} blocks are too few to be sure of any of the {looked_at} groups and counters: {needed} are enough. \
         Measure longer (--time)."
    )]
    TooFewBlocks {
        blocks: u64,
        needed: u64,
        /// Groups, and counters of the machine.
        looked_at: usize,
    },
    #[display(
        "{url}: {changed} of {requests} responses differed from the first, some in size too, and not only in a time or a \
         token: check that every request does the same work."
    )]
    BodyChanges {
        url: String,
        /// Responses whose body differs from the first.
        changed: u64,
        requests: u64,
    },
    /// Other work took a good part of the machine.
    #[display(
        "other work kept {cores:.1} of {processors} cores busy while no requests ran. On a busy machine a request's \
         own CPU time is longer than on an idle one (shared caches, shared cores); these weights hold beside that \
         work."
    )]
    Busy {
        /// Processors kept busy while no requests ran.
        cores: f64,
        processors: u64,
    },
    /// Requests displaced other work.
    #[display(
        "less CPU while requests ran: {}. The machine was full, and the requests pushed this work aside.",
        groups.join(", ")
    )]
    Displaced { groups: Vec<String> },
    /// The plain mean lies outside the interval.
    #[display(
        "the plain mean lies outside the interval of {}: there was a burst of other work, or a few requests cost far \
         more than the rest. The JSON result has both.",
        what.join(", ")
    )]
    Skewed {
        /// Group and counter.
        what: Vec<String>,
    },
    /// Records of ended processes were lost.
    #[display(
        "records of ended processes were lost, because too many ended at once. Weights marked ! are too low; use \
         shorter phases (--phase)."
    )]
    Lost,
    /// The probes cost more than a hundredth of a core.
    #[display("the probes used {:.1} % of one core: longer phases (--phase) lower that.", share * 100.0)]
    CostlyProbes { share: f64 },
    /// Something could not be counted.
    #[display("with {takes}, also: {}.", missing.join("; "))]
    Shortfall {
        missing: Vec<String>,
        /// What would enable it.
        takes: String,
    },
    /// A probe has nothing to read on this system.
    #[display("probe {probe} left out: {why}.")]
    Unavailable { probe: String, why: String },
    /// `--until` was not reached in time.
    #[display("±{:.1} % was not reached, ±{:.1} % was: measure longer (--time).", target * 100.0, reached * 100.0)]
    NotReached { target: f64, reached: f64 },
    /// Planned phases would not have held enough requests.
    #[display("phases last {seconds:.1} s, because {why}: the run was made longer to fit.")]
    LongPhases {
        /// Length of a phase.
        seconds: f64,
        /// Reason, phrased to follow "as".
        why: String,
    },
    /// Connections were reopened because the server had closed them.
    #[display(
        "the server had closed a kept connection {times} time{}: its keep-alive limit is in the figures.",
        if *times == 1 { "" } else { "s" }
    )]
    Reconnected { times: u64 },
    /// Requests not answered in time are in the latencies with the time they waited.
    #[display(
        "{} request{} not answered in time: they are in the latencies with the time waited, which is less than they \
         would have taken. Wait longer (--timeout), or lower the rate.",
        count(*requests), if *requests == 1 { " was" } else { "s were" }
    )]
    CutShort { requests: u64 },
    /// The maximum of requests was under way: from then on the load was closed, not open.
    #[display(
        "{concurrency} requests ran at once, the most allowed; others had to wait, so the load was no longer open \
         loop. Raise --concurrency, or lower the rate."
    )]
    Capped { concurrency: u64 },
    #[display("{requests} requests are too few for an interval of {what}: it needs {needs}. Measure longer (--time).")]
    FewRequests {
        /// The figure: `p99`.
        what: String,
        requests: u64,
        needs: u64,
    },
    /// The baseline differs from itself beyond chance.
    #[display(
        "the baseline differs from itself by {} %, more than chance allows: something else changes in step with the \
         arms. Distrust all differences of that size, and measure again.",
        percent((ratio - 1.0).abs())
    )]
    SameArmDiffers { ratio: f64 },
    #[display(
        "{arm}: {} request{} failed{}, and errors are often faster than pages. Make the arm work before comparing it.",
        count(*errors),
        if *errors == 1 { "" } else { "s" },
        if statuses.is_empty() { String::new() } else { format!(" (statuses: {statuses})") }
    )]
    ErrorsInArm {
        arm: String,
        errors: u64,
        /// `116 × 200, 34 × 503`; empty if nothing was answered.
        statuses: String,
    },
    #[display(
        "{arm}: {} of {} responses differed from the first, some in size too, and not only in a time or a token: check \
         that every request does the same work.",
        count(*changed), count(*requests)
    )]
    ChangedInArm { arm: String, changed: u64, requests: u64 },
    #[display(
        "one request in a hundred was sent at least {} late{}",
        plain(Kind::Time, *p99 as f64), late_because(because)
    )]
    LateSends {
        /// 99th percentile, in ns.
        p99: u64,
        /// What was taken from the machine meanwhile, if that explains it.
        because: Option<LateBecause>,
    },
    #[display("{taken}.{}", spoiled(blocks, taken))]
    Taken {
        taken: Taken,
        /// Blocks that it spoiled, if any.
        blocks: Option<SpoiledBlocks>,
    },
    #[display("the machine's speed is not known, so other runs may not be comparable: {why}.")]
    NoReference { why: String },
}

fn one_of(hosts: &[String]) -> String {
    match hosts {
        [one] => one.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

fn what_is_left(blocks: usize, needed: usize) -> String {
    let had = format!("{blocks} whole block{}", if blocks == 1 { "" } else { "s" });
    if blocks < needed {
        format!("the {had} until then are too few ({needed} are needed), so it is left out")
    } else {
        format!("its figures, and sums with them, rest on the {had} until then")
    }
}

fn spoiled(blocks: &Option<SpoiledBlocks>, taken: &Taken) -> String {
    blocks.as_ref().map(|blocks| format!(" {}", blocks.text(taken))).unwrap_or_default()
}

fn late_because(because: &Option<LateBecause>) -> String {
    match because {
        None => ": the generator lacked a core. The lateness is in the latencies of all arms equally. Lower the rate, \
                 or give unladen a core of its own."
            .to_owned(),
        Some(because) => format!(". The lateness is in the latencies of all arms equally. {because}."),
    }
}

fn count(n: u64) -> String {
    grouped(n as f64, 0)
}

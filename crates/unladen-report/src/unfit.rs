//! The principal types are [`Unfit`], why a generator measured itself, and [`Taken`], processor time taken from the
//! machine and from unladen.

use std::fmt;
use std::time::Duration;

use unladen_quantity::{Kind, grouped, lasting, percent, plain};

/// Why the generator was the bottleneck.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub enum Unfit {
    /// Text from a file of records.
    #[display("{_0}")]
    Told(String),
    /// It sent too late.
    #[display(
        "one request in a hundred was sent at least {} late; above {}, the latencies no longer describe the server{}",
        plain(Kind::Time, *p99 as f64), plain(Kind::Time, *limit as f64), late_because(because)
    )]
    Late {
        /// 99th percentile of lateness, in ns.
        p99: u64,
        /// Allowed lateness, in ns.
        limit: u64,
        /// What was taken from the machine meanwhile, if that explains it.
        because: Option<LateBecause>,
    },
    /// Its thread had no time left.
    #[display("its thread {}", no_time_left(*share, taken))]
    Busy {
        /// Share of time that the thread worked, without waiting and spinning.
        share: f64,
        /// What was taken from the machine meanwhile, if notable: it is part of the thread's share.
        taken: Option<Taken>,
    },
    /// Records of requests were lost on the way from the sender.
    #[display(
        "records of {} requests were lost, because the connection from there is too slow. They are counted, and their \
         latencies are in all quantiles, but they are missing from the tables by request, step and second. Lower the \
         rate, or send from more hosts",
        grouped(*requests as f64, 0)
    )]
    Unrecorded { requests: u64 },
    /// One of several agents was the bottleneck.
    #[display("agent {name}: {unfit}")]
    Agent { name: String, unfit: Box<Unfit> },
    /// An agent did not reach its end.
    #[display(
        "agent {name} was lost {} after the start ({why}): {}",
        plain(Kind::Time, at.as_nanos() as f64), missing_here(*missing)
    )]
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

fn missing_here(missing: Option<u64>) -> String {
    match missing {
        Some(missing) => format!("{} of its planned requests are missing here", grouped(missing as f64, 0)),
        None => "the requests it would have sent after that are missing here".to_owned(),
    }
}

fn late_because(because: &Option<LateBecause>) -> String {
    match because {
        None => ": give unladen a core of its own, or lower the rate".to_owned(),
        Some(because) => format!(". {because}"),
    }
}

fn no_time_left(share: f64, taken: &Option<Taken>) -> String {
    let share = percent(share);
    match taken {
        None => format!(
            "worked {share} % of the time and could not have sent more: lower the rate, or send from another machine"
        ),
        Some(taken) => format!(
            "had work for {share} % of the time and could not have sent more, while {taken}: send from another \
             machine, or lower the rate"
        ),
    }
}

/// Time taken, displayed with its cause: `the hypervisor took 31.0 % of the processors' time for others (steal)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Taken {
    /// Share of processor time that the hypervisor took, 0 to 1.
    pub stolen_share: f64,
    /// How long unladen's own control group was throttled by its CPU quota, summed over processors.
    pub throttled: Duration,
}

/// Time taken while requests were sent late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateBecause {
    /// Taken in the stretches of time with most of the lateness.
    pub taken: Taken,
    /// Total length of these stretches.
    pub lasted: Duration,
    /// Share of all lateness in these stretches, 0 to 1.
    pub share: f64,
}

/// What became of spoiled blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoiledFate {
    LeftOut,
    /// Kept, since too few would be left.
    TooMany,
    /// Kept, since the load itself caused it.
    ByLoad,
}

/// Blocks that were spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoiledBlocks {
    pub spoiled: usize,
    pub blocks: usize,
    pub fate: SpoiledFate,
}

// === impl Taken ===

impl Taken {
    /// Share of processor time from which steal is mentioned.
    const NOTABLE: f64 = 0.01;

    /// Whether it matters in a measurement of this length.
    pub fn is_notable(&self, elapsed: Duration) -> bool {
        self.stolen_share >= Self::NOTABLE
            || self.throttled >= elapsed.mul_f64(Self::NOTABLE).max(Duration::from_nanos(1))
    }

    fn advice(&self) -> &'static str {
        match (self.is_stolen(), self.is_throttled()) {
            (_, false) => "Measure at another time, or on a machine that is not shared",
            (false, true) => "Raise the quota (cpu.max), or run unladen outside that control group",
            (true, true) => {
                "Raise the quota (cpu.max) of unladen's control group, and measure at another time or on a machine \
                 that is not shared"
            }
        }
    }

    fn is_stolen(&self) -> bool {
        self.stolen_share > 0.0
    }

    fn is_throttled(&self) -> bool {
        !self.throttled.is_zero()
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stolen() || !self.is_throttled() {
            let share = percent(self.stolen_share);
            write!(f, "the hypervisor took {share} % of the processors' time for others (steal)")?;
        }
        if self.is_throttled() {
            let and = if self.is_stolen() { ", and " } else { "" };
            let time = lasting(self.throttled);
            write!(f, "{and}the CPU quota of unladen's own control group held it back for {time} (throttling)")?;
        }
        Ok(())
    }
}

impl fmt::Display for LateBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { taken, lasted, share } = self;
        let (share, lasted, advice) = (percent(*share), lasting(*lasted), taken.advice());
        write!(
            f,
            "{share} % of the lateness fell into {lasted} in which {taken}. The server did not cause that. {advice}"
        )
    }
}

impl SpoiledBlocks {
    /// One or more sentences to follow the text of what was taken.
    pub(crate) fn text(&self, taken: &Taken) -> String {
        let Self { spoiled, blocks, fate } = self;
        let of = format!("{spoiled} of {blocks} blocks");
        match fate {
            SpoiledFate::LeftOut => {
                format!(
                    "{of} are left out because of that; they were chosen only by the time taken, before their figures \
                     were examined."
                )
            }
            SpoiledFate::TooMany => format!(
                "{of} are spoiled by that, too many to leave out: the latencies are longer than on an undisturbed \
                 machine, and CPU times may be longer, too. {}.",
                taken.advice()
            ),
            SpoiledFate::ByLoad => format!(
                "{of} are spoiled by that, and the machine did more work in them than in the others: it is slowed \
                 down when it works hard, by a limit or by used-up CPU credits. Without these blocks, the cheaper \
                 requests would be favoured, so they are kept. Lower the load, or measure on a machine without that \
                 limit."
            ),
        }
    }
}

#[cfg(test)]
mod tests;

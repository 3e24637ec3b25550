//! The principal type is [`Tool`]: something that sends requests and says how long they took.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::Result;
use crate::children::{self, Ran};

/// What to send.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) url: String,
    pub(crate) sends: Sends,
    /// The most requests under way at once; without a rate always so many.
    pub(crate) connections: u64,
    pub(crate) keep_alive: bool,
}

/// How many requests, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sends {
    /// So many a second for so many seconds, whatever the answers do.
    Rate { rate: u64, seconds: u64 },
    /// Each after the answer to the one before: so many, or for so long where a tool takes no number.
    BackToBack { requests: u64, seconds: u64 },
}

impl Load {
    /// How many, for a tool that takes a number.
    pub(crate) fn requests(&self) -> u64 {
        match self.sends {
            Sends::Rate { rate, seconds } => rate * seconds,
            Sends::BackToBack { requests, .. } => requests,
        }
    }

    /// How long, for a tool that takes a time.
    pub(crate) fn time(&self) -> String {
        let (Sends::Rate { seconds, .. } | Sends::BackToBack { seconds, .. }) = self.sends;
        format!("{seconds}s")
    }

    pub(crate) fn rate(&self) -> Option<u64> {
        match self.sends {
            Sends::Rate { rate, .. } => Some(rate),
            Sends::BackToBack { .. } => None,
        }
    }
}

/// What it says of what it did.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    /// Requests that were answered with status 200.
    pub(crate) answered: u64,
    /// Those that were not.
    pub(crate) failed: u64,
    pub(crate) latency: Quantiles,
    /// How late it says it sent.
    pub(crate) lag: Option<Quantiles>,
    /// What it says that keeping to its schedule cost.
    pub(crate) pacing: Option<Duration>,
}

/// Of times; None where the tool does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Quantiles {
    pub(crate) p50: Option<Duration>,
    pub(crate) p90: Option<Duration>,
    pub(crate) p95: Option<Duration>,
    pub(crate) p99: Option<Duration>,
    pub(crate) max: Option<Duration>,
}

impl Quantiles {
    /// Of an object with such members, in the order of the fields, each in a unit of so many seconds.
    pub(crate) fn of(values: &Value, names: [&str; 5], unit: f64) -> Self {
        let [p50, p90, p95, p99, max] = names.map(|name| {
            let seconds = values[name].as_f64()? * unit;
            Duration::try_from_secs_f64(seconds).ok()
        });
        Self { p50, p90, p95, p99, max }
    }

    pub(crate) fn all(&self) -> [Option<Duration>; 5] {
        [self.p50, self.p90, self.p95, self.p99, self.max]
    }
}

pub(crate) trait Tool {
    fn name(&self) -> &'static str;

    /// Why it cannot send at a constant rate, if so.
    fn unpaced(&self) -> Option<&'static str> {
        None
    }

    /// Whether it tells percentiles that are worth a comparison.
    fn tells_latency(&self) -> bool {
        true
    }

    fn command(&self, load: &Load) -> Result<Command>;

    /// From what it printed.
    fn said(&self, stdout: &str) -> Result<Said>;

    /// Runs it to its end.
    fn send(&self, load: &Load) -> Result<(Ran, Said)> {
        let ran = children::run(&mut self.command(load)?)?;
        let said = self.said(&ran.stdout).map_err(|error| format!("{}: {error}", self.name()))?;
        Ok((ran, said))
    }
}

/// The sum of an object's numbers.
pub(crate) fn sum(object: &Value) -> u64 {
    object.as_object().into_iter().flat_map(|members| members.values()).filter_map(Value::as_u64).sum()
}

//! The principal type is [`Options`]: what `weigh` was asked for, resolved.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_load::{Cancel, DriverConfig};
use unladen_probe::GroupBy;
use unladen_prove::{COMMAND_TIME, Shell};

use crate::exit::Failure;
use crate::weigh::exporter::Exporter;

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) driver: DriverConfig,
    pub(crate) budget: Budget,
    pub(crate) phase: Option<Duration>,
    /// End of an on phase after its last response, if given.
    pub(crate) settle: Option<Duration>,
    /// Hosts whose counters are read too.
    pub(crate) hosts: Vec<Host>,
    pub(crate) session: SessionOptions,
    /// Exporters whose counters are read too.
    pub(crate) exporters: Vec<Exporter>,
    pub(crate) group_by: GroupBy,
    pub(crate) seed: u64,
    pub(crate) inside: bool,
    /// Restarts what answers, to look at first requests too.
    pub(crate) restart: Option<Restart>,
    pub(crate) quiet: bool,
}

/// When to stop; the first bound that is reached ends the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Budget {
    pub(crate) time: Option<Duration>,
    /// Requests of each URL.
    pub(crate) requests: Option<u64>,
    /// When the largest CPU weight's interval is this narrow, as a share of the weight.
    pub(crate) until: Option<f64>,
}

impl Budget {
    /// Default.
    pub(crate) const TIME: Duration = Duration::from_secs(30);
    /// Default with `--until`.
    pub(crate) const MOST_TIME_UNTIL: Duration = Duration::from_secs(300);
    /// Longest run without a given time, however long its phases have to be: longer waits must be asked for.
    pub(crate) const MOST_TIME: Duration = Duration::from_secs(600);
}

#[derive(Debug, Clone)]
pub(crate) struct Restart {
    /// For `sh -c`, in the folder where unladen was called.
    pub(crate) command: String,
}

impl Restart {
    pub(super) const BETWEEN_TRIES: Duration = Duration::from_millis(50);

    /// How long a server may refuse after its restart.
    pub(super) const PATIENCE: Duration = Duration::from_secs(30);

    /// Fails if the command fails or is cancelled.
    pub(super) fn run(&self, cancel: &Cancel) -> Result<(), Failure> {
        let failed = |why: String| Failure::Usage(format!("--restart: {why}"));
        let folder = std::env::current_dir().map_err(|source| failed(source.to_string()))?;
        Shell::new(folder)
            .run(&self.command, &BTreeMap::new(), COMMAND_TIME, cancel)
            .map_err(|fault| failed(fault.to_string()))
    }
}

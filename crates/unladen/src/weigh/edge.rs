//! The principal type is [`EdgeSource`]: counters that are read elsewhere, at the same edges of phases as this
//! machine's.
//!
//! The sources have no common clock. Each says by its own monotonic clock when it has read, and a phase is as long as
//! *its* clock says from one of its readings to the next. Requests are sent only once all sources have answered, and
//! the next reading is asked for only once the settle gap is over: however long the way between takes, the requests of
//! a phase lie between its two readings, at every source.

use std::time::{Duration, Instant};

use unladen_agent::{FarInstrument, Standpoint};
use unladen_machine::MachineTimes;
use unladen_probe::Unit;

use crate::exit::Failure;

pub(crate) trait EdgeSource: Send {
    /// As the user named it; its groups are `NAME/group`.
    fn name(&self) -> &str;

    fn kind(&self) -> SourceKind;

    /// The least settle gap that it needs: for a host, longer than the round trip.
    fn settle(&self) -> Duration;

    /// Whether lengthening the settle gap for it is worth a note.
    fn is_settle_notable(&self) -> bool {
        true
    }

    /// The typical round trip, if known: most took no longer.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// CPU time of a reading there.
    fn read_cpu(&self) -> Duration {
        Duration::ZERO
    }

    fn processors(&self) -> Option<usize> {
        None
    }

    /// Asks for a reading without waiting.
    fn ask(&mut self);

    /// Waits for the reading that was asked for. Fails if there will be no more readings, for a reason in the
    /// words of whoever knew last: this ends the source's part in the run, and nothing else.
    fn answer(&mut self, deadline: Instant) -> Result<EdgeReading, String>;

    /// What it has counted so far; new series are added at the end.
    fn series(&self) -> &[Series];

    /// Starts to watch while requests are sent before anything is measured.
    fn begin_watch(&mut self) {}

    /// Whether it has to see more of requests, or of none, before [`settle`](Self::settle) is known.
    fn wants(&self, _is_sending: bool) -> bool {
        false
    }

    /// Ends the watch. Fails if the source cannot be used; this ends the command.
    fn end_watch(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// The agent there, if it is a host.
    fn far(&self) -> Option<&FarInstrument> {
        None
    }

    /// Where it counts from, if it is a host.
    fn standpoint(&self) -> Option<&Standpoint> {
        None
    }

    /// The local process that leads there, if any: with all its descendants it counts as Unladen's own.
    fn carrier(&self) -> Option<u32> {
        None
    }

    /// Whether records of ended processes were lost there, so that its processes' counts are too low.
    fn has_lost(&self) -> bool {
        false
    }

    /// Notes for the reader, once all is measured.
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EdgeReading {
    /// Time of the reading, on the source's own monotonic clock.
    pub(crate) at_ns: u64,
    /// Increments since its last reading, by index into [`EdgeSource::series`].
    pub(crate) grown: Vec<(u32, f64)>,
    /// What the machine there did since the last reading, if known.
    pub(crate) times: Option<MachineTimes>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Series {
    pub(crate) group: String,
    pub(crate) counter: String,
    /// Title in tables.
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// Sampled, not counted.
    pub(crate) approximate: bool,
    /// Series of one family are judged together; by default, those of a group are.
    pub(crate) family: Option<String>,
    /// Whether it decides about its family.
    pub(crate) deciding: bool,
    pub(crate) kind: SeriesKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SeriesKind {
    Machine,
    /// Unladen itself, and what it is reached by.
    Own,
    Processes,
    /// No group of processes, but a series of an exporter.
    Series,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// A machine or container with an agent in it.
    Host,
    /// An HTTP endpoint with metrics.
    Exporter,
}

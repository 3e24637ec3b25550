//! The principal type is [`EdgeSource`]: counters that are read elsewhere, at the same edges of phases as this machine's.
//!
//! No clock is common to the sources. Each tells by its own monotonic clock when it has read, and a phase is as long as
//! *its* clock says from one of its readings to the next. Requests are sent only once all sources have answered, and the
//! next reading is asked for only once the settle gap is over: whatever the way between takes, the requests of a phase
//! lie between the two readings of it, at every source.

use std::time::{Duration, Instant};

use unladen_agent::{FarInstrument, Standpoint};
use unladen_machine::MachineTimes;
use unladen_probe::Unit;

use crate::exit::Failure;
pub(crate) use crate::weigh::source_kind::SourceKind;

/// A source of counters elsewhere.
pub(crate) trait EdgeSource: Send {
    /// As the user named it; its groups are `NAME/group`.
    fn name(&self) -> &str;

    /// What it is.
    fn kind(&self) -> SourceKind;

    /// The least settle gap that it takes: for a host, longer than the way there and back.
    fn settle(&self) -> Duration;

    /// Whether it is worth a sentence that the settle gap became longer for its sake.
    fn is_settle_notable(&self) -> bool {
        true
    }

    /// The way there and back, as far as it is known: most of them took no longer.
    fn round_trip(&self) -> Option<Duration> {
        None
    }

    /// Time on a processor that a reading takes there.
    fn read_cpu(&self) -> Duration {
        Duration::ZERO
    }

    /// Processors there.
    fn processors(&self) -> Option<usize> {
        None
    }

    /// Asks for a reading, and returns at once.
    fn ask(&mut self);

    /// Waits for the reading that was asked for.
    ///
    /// # Errors
    /// If there will be no more readings: this ends the source's part in the run, and nothing else.
    fn answer(&mut self, deadline: Instant) -> Result<EdgeReading, Gone>;

    /// What it has counted so far; new ones are added at the end.
    fn series(&self) -> &[Series];

    /// Starts to watch while requests are sent before anything is measured.
    fn begin_watch(&mut self) {}

    /// Whether it has to see more of requests, or of none, before [`settle`](Self::settle) can be told.
    fn wants(&self, _is_sending: bool) -> bool {
        false
    }

    /// Ends the watch.
    ///
    /// # Errors
    /// If it cannot be used; this ends the command.
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

    /// The process of this machine that leads there, if there is one: with all that it has started it is Unladen's own.
    fn carrier(&self) -> Option<u32> {
        None
    }

    /// Whether records of ended processes were lost there: then what its processes count is too low.
    fn has_lost(&self) -> bool {
        false
    }

    /// Sentences that the reader should know, once all is measured.
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// What a source read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct EdgeReading {
    /// When, in ns on its own monotonic clock.
    pub(crate) at_ns: u64,
    /// What has grown since its reading before, and by how much: indexes of [`EdgeSource::series`].
    pub(crate) grown: Vec<(u32, f64)>,
    /// What the machine there did since the reading before, where that is known.
    pub(crate) times: Option<MachineTimes>,
}

/// One counter of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Series {
    /// The group's name there.
    pub(crate) group: String,
    /// The stable name of the counter.
    pub(crate) counter: String,
    /// What a table calls it.
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// Sampled, not counted.
    pub(crate) approximate: bool,
    /// Series of one family are judged together; without one those of a group are.
    pub(crate) family: Option<String>,
    /// Whether it decides about its family.
    pub(crate) deciding: bool,
    /// What the group is.
    pub(crate) kind: SeriesKind,
}

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SeriesKind {
    /// A machine as a whole.
    Machine,
    /// Unladen itself, and what it is reached by.
    Own,
    Processes,
    /// No group of processes: a series that an exporter tells.
    Series,
}

/// There will be no more readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gone {
    /// Why, in the words of whoever knew last.
    pub(crate) last_words: String,
}

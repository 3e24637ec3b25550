//! The principal type is [`Running`]: a load under way, whose outcomes come in batches while it runs.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::{Arrivals, Cancel, Driver, DriverConfig, LoadPlan, Mix, Request, Schedule, Stop};
//!
//! # use std::io::{Read, Write};
//! # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! # let url = format!("http://{}/", listener.local_addr()?);
//! # std::thread::spawn(move || {
//! #     for mut stream in listener.incoming().flatten() {
//! #         std::thread::spawn(move || {
//! #             let mut request = [0; 4096];
//! #             while stream.read(&mut request).is_ok_and(|read| read > 0) {
//! #                 stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
//! #             }
//! #         });
//! #     }
//! # });
//! let mut driver = Driver::start(DriverConfig::new(vec![Request::get(&url)?.build()?]))?;
//! let plan = LoadPlan {
//!     schedule: Some(Schedule::steady(1_000.0, Arrivals::Constant, 0)?),
//!     stop: Stop::after(Duration::from_secs(10)).or_requests(50),
//!     ..LoadPlan::new(Mix::only(0))
//! };
//! let mut running = driver.load(plan, &Cancel::new())?;
//! let mut outcomes = 0;
//! while let Some(batch) = running.next_batch() {
//!     outcomes += batch.iter().filter(|outcome| outcome.error.is_none()).count();
//! }
//! assert_eq!((outcomes, running.end()?.sent), (50, 50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::outcome::{ErrorKind, LoadOutcome};
use crate::run::{RunEnd, Sink};
use crate::schedule::End;

/// Maximum of outcomes in a batch: at 10,000 a second a batch is full after 50 ms.
const BATCH: usize = 512;

/// Maximum of waiting batches: half a million outcomes, 80 MB. Beyond it the client waits, which shows in its lag.
pub(crate) const BATCHES: usize = 1024;

const OLDEST: Duration = Duration::from_millis(50);

/// How a load ended, and its counts beside the outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadEnd {
    pub ended: End,
    pub sent: u64,
    /// Requests planned before the end that found no free slot in time.
    pub unsent: u64,
    pub abandoned: u64,
    /// HTTP bytes before encryption.
    pub bytes_sent: u64,
    /// HTTP bytes after decryption.
    pub bytes_received: u64,
    pub connections_opened: u64,
    /// Kept connections that the server had closed before their next use.
    pub closed_by_server: u64,
    /// Requests sent a second time, since the server closed the connection just as they were sent.
    pub retries: u64,
    /// CPU of the whole process meanwhile, reading the outcomes included.
    pub cpu: Duration,
    /// CPU of the client's thread, without waiting for planned times.
    pub worked: Duration,
    /// CPU spent waiting for planned times.
    pub paced: Duration,
    pub first_errors: BTreeMap<ErrorKind, String>,
}

/// A load under way. Outcomes have to be fetched: the client waits when too many are pending.
#[derive(Debug)]
pub struct Running<'a> {
    pub(crate) started: Instant,
    pub(crate) outcomes: Receiver<Vec<LoadOutcome>>,
    pub(crate) end: Receiver<Result<LoadEnd, LoadError>>,
    pub(crate) driver: PhantomData<&'a mut ()>,
}

/// Result of waiting for outcomes.
#[derive(Debug)]
pub enum Waited {
    Outcomes(Vec<LoadOutcome>),
    Nothing,
    Ended,
}

pub(crate) struct Batches {
    batch: Vec<LoadOutcome>,
    flushed: Instant,
    to: SyncSender<Vec<LoadOutcome>>,
    first_errors: BTreeMap<ErrorKind, String>,
}

impl Running<'_> {
    /// Start of the schedule: the first planned time, or, for a Poisson process, the time before it.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Waits for outcomes; `None` when the load has ended.
    pub fn next_batch(&mut self) -> Option<Vec<LoadOutcome>> {
        self.outcomes.recv().ok()
    }

    /// Waits for outcomes for at most `time`.
    pub fn wait(&mut self, time: Duration) -> Waited {
        match self.outcomes.recv_timeout(time) {
            Ok(batch) => Waited::Outcomes(batch),
            Err(RecvTimeoutError::Timeout) => Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => Waited::Ended,
        }
    }

    /// Waits for the end; drops outcomes not yet fetched. Fails when the client's thread is gone, or has no thread for
    /// pacing.
    pub fn end(self) -> Result<LoadEnd, LoadError> {
        drop(self.outcomes);
        self.end.recv().map_err(|_| LoadError::Gone)?
    }
}

// === impl Batches ===

impl Batches {
    pub(crate) fn new(to: SyncSender<Vec<LoadOutcome>>) -> Self {
        Self { batch: Vec::with_capacity(BATCH), flushed: Instant::now(), to, first_errors: BTreeMap::new() }
    }

    pub(crate) fn finish(&mut self) -> BTreeMap<ErrorKind, String> {
        self.flush(Instant::now());
        std::mem::take(&mut self.first_errors)
    }

    fn flush(&mut self, now: Instant) {
        self.flushed = now;
        if !self.batch.is_empty() {
            let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
            // Fails when outcomes are no longer fetched.
            let _ = self.to.send(batch);
        }
    }
}

impl Sink for Batches {
    fn record(&mut self, outcome: &LoadOutcome, error: Option<&LoadError>) {
        if let (Some(error), Some(kind)) = (error, outcome.error) {
            self.first_errors.entry(kind).or_insert_with(|| error.to_string());
        }
        self.batch.push(*outcome);
        if self.batch.len() >= BATCH || outcome.done.saturating_duration_since(self.flushed) > OLDEST {
            self.flush(outcome.done);
        }
    }
}

impl LoadEnd {
    pub(crate) fn of(end: &RunEnd, first_errors: BTreeMap<ErrorKind, String>) -> Self {
        Self {
            ended: end.end,
            sent: end.sent,
            unsent: end.unsent,
            abandoned: end.sent - end.recorded,
            bytes_sent: end.counts.sent,
            bytes_received: end.counts.received,
            connections_opened: end.counts.opened,
            closed_by_server: end.counts.closed_by_server,
            retries: end.counts.retries,
            cpu: end.cpu,
            worked: end.worked,
            paced: end.paced,
            first_errors,
        }
    }
}

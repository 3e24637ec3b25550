//! The principal type is [`Spool`]: a load's answers that wait for a slow connection, in bounded memory; [`pump`] runs the load.
//!
//! The sending thread puts records in and never waits; a separate thread takes them out and waits for the connection.
//! Records without room are counted in a [`RecordSummary`] instead: the load goes on as planned, and each request
//! counts once, with its record or without.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadError, LoadPlan, RecordBatch, RecordSummary, RequestRecord, Waited};
use unladen_machine::{MachineClock, MachineTimes};

use super::message::LoadAnswer;
use crate::far_times::FarTimes;

/// Bytes of waiting records: some 170,000 records, or seventeen seconds of 10,000 requests a second.
pub const ROOM: usize = 4 << 20;

/// Bytes counted for a waiting answer that is no record.
const OF_ANOTHER: usize = 128;

/// Interval at which a cancellation is noticed while the rest is sent.
const LOOK: Duration = Duration::from_millis(20);

pub(super) struct Spool {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    room: usize,
}

#[derive(Default)]
struct Waiting {
    answers: VecDeque<LoadAnswer>,
    /// Bytes of all answers.
    bytes: usize,
    summary: RecordSummary,
    untold: Option<(u64, MachineTimes)>,
    is_closed: bool,
    is_left: bool,
    is_sending: bool,
}

impl Spool {
    pub(super) fn new(room: usize) -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), room }
    }

    pub(super) fn put_records(&self, batch: RecordBatch) {
        let mut waiting = self.lock();
        if waiting.bytes + batch.size() > self.room {
            waiting.count(&batch);
            return;
        }
        waiting.bytes += batch.size();
        waiting.answers.push_back(LoadAnswer::Records(batch));
        self.changed.notify_all();
    }

    pub(super) fn put(&self, answer: LoadAnswer) -> bool {
        let mut waiting = self.lock();
        if waiting.bytes + OF_ANOTHER > self.room {
            return false;
        }
        waiting.bytes += OF_ANOTHER;
        waiting.answers.push_back(answer);
        self.changed.notify_all();
        true
    }

    /// Passes all to `send`, in order, until the spool is closed and empty; false if `send` failed.
    pub(super) fn send_all(&self, send: &dyn Fn(LoadAnswer) -> bool) -> bool {
        loop {
            let mut waiting = self.lock();
            waiting.is_sending = false;
            self.changed.notify_all();
            while waiting.answers.is_empty() && !waiting.is_closed {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            let Some(answer) = waiting.answers.pop_front() else { return true };
            waiting.bytes -= size(&answer);
            waiting.is_sending = true;
            drop(waiting);
            if !send(answer) {
                let mut waiting = self.lock();
                waiting.is_left = true;
                waiting.is_sending = false;
                self.changed.notify_all();
                return false;
            }
        }
    }

    /// Waits until all has been sent, at most `most`, or `once_cancelled` after a cancellation; counts the rest, and
    /// closes.
    pub(super) fn drain(&self, most: Duration, once_cancelled: Duration, cancel: &Cancel) {
        let begun = Instant::now();
        let mut cancelled = None;
        let mut waiting = self.lock();
        loop {
            if cancel.is_cancelled() {
                cancelled.get_or_insert_with(Instant::now);
            }
            let is_late = begun.elapsed() >= most || cancelled.is_some_and(|since| since.elapsed() >= once_cancelled);
            let is_done = waiting.answers.is_empty() && !waiting.is_sending;
            if is_late || is_done || waiting.is_left {
                break;
            }
            (waiting, _) = self.changed.wait_timeout(waiting, LOOK).unwrap_or_else(PoisonError::into_inner);
        }
        for answer in std::mem::take(&mut waiting.answers) {
            match answer {
                LoadAnswer::Records(batch) => waiting.count(&batch),
                LoadAnswer::Look { end_ns, times } => waiting.keep(end_ns, times),
                _ => {}
            }
        }
        waiting.bytes = 0;
        waiting.is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn keep(&self, end_ns: u64, times: FarTimes) {
        self.lock().keep(end_ns, times);
    }

    pub(super) fn untold(&self) -> Option<LoadAnswer> {
        let (end_ns, times) = self.lock().untold?;
        Some(LoadAnswer::Look { end_ns, times: (&times).into() })
    }

    /// Summary of the requests without records.
    pub(super) fn summary(self) -> RecordSummary {
        self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner).summary
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn count(&mut self, batch: &RecordBatch) {
        // A batch made here is valid.
        let records = batch.records().unwrap_or_default();
        records.iter().for_each(|record| self.summary.add(record));
    }

    fn keep(&mut self, end_ns: u64, times: FarTimes) {
        let (last_ns, sum) = self.untold.unwrap_or_default();
        self.untold = Some((last_ns.max(end_ns), sum.plus(times.into())));
    }
}

fn size(answer: &LoadAnswer) -> usize {
    match answer {
        LoadAnswer::Records(batch) => batch.size(),
        _ => OF_ANOTHER,
    }
}

/// Records in a message: some 12 KB, so that a slow connection delivers one long before it counts as silent.
const BATCH: usize = 512;

const OLDEST: Duration = Duration::from_millis(100);

/// Interval of looks at the machine, as for a local load; they also show that the agent lives.
const MACHINE_LOOK: Duration = Duration::from_millis(250);

/// Time for sending records after the load's end; the rest is only counted.
const DRAIN: Duration = Duration::from_secs(60);

/// The same after a cancellation: somebody waits.
const ONCE_CANCELLED: Duration = Duration::from_secs(1);

/// Sends as planned, and passes results on from a separate thread: a slow `send` delays no request.
pub(super) fn pump(
    driver: &mut Driver,
    plan: LoadPlan,
    start: Instant,
    cancel: &Cancel,
    spool: &Spool,
    send: &(dyn Fn(LoadAnswer) -> bool + Sync),
) -> Result<LoadEnd, LoadError> {
    thread::scope(|scope| {
        let way = thread::Builder::new().name("unladen-agent-way".into()).spawn_scoped(scope, || {
            if !spool.send_all(send) {
                // Without a receiver of the records, no requests may be sent.
                cancel.cancel();
            }
        });
        let end = match way {
            Ok(_) => fill(driver, plan, start, cancel, spool),
            Err(source) => Err(LoadError::Thread { source }),
        };
        spool.drain(DRAIN, ONCE_CANCELLED, cancel);
        end
    })
}

fn fill(
    driver: &mut Driver,
    plan: LoadPlan,
    start: Instant,
    cancel: &Cancel,
    spool: &Spool,
) -> Result<LoadEnd, LoadError> {
    let mut running = driver.load(plan, cancel)?;
    let mut clock = MachineClock::open();
    let mut last = clock.read();
    let mut batch = RecordBatch::default();
    let mut sent = Instant::now();
    let since_start = |at: Instant| u64::try_from(at.saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX);
    loop {
        match running.wait(OLDEST) {
            Waited::Outcomes(outcomes) => {
                outcomes.iter().for_each(|outcome| batch.push(&RequestRecord::of(outcome, start)));
            }
            Waited::Nothing => {}
            Waited::Ended => break,
        }
        if batch.len() >= BATCH || !batch.is_empty() && sent.elapsed() >= OLDEST {
            spool.put_records(std::mem::take(&mut batch));
            sent = Instant::now();
        }
        if last.at().elapsed() >= MACHINE_LOOK {
            let now = clock.read();
            // Without room, the next one includes this time.
            if spool.put(LoadAnswer::Look { end_ns: since_start(now.at()), times: (&now.since(&last)).into() }) {
                last = now;
            }
        }
    }
    if !batch.is_empty() {
        spool.put_records(batch);
    }
    let now = clock.read();
    let (end_ns, times) = (since_start(now.at()), (&now.since(&last)).into());
    if !spool.put(LoadAnswer::Look { end_ns, times }) {
        spool.keep(end_ns, times);
    }
    running.end()
}

#[cfg(test)]
mod tests;

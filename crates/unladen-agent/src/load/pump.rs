//! The principal function is [`pump`]: runs a load, and sends its records meanwhile.

use std::thread;
use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadError, LoadPlan, RecordBatch, RequestRecord, Waited};
use unladen_machine::MachineClock;

use super::message::LoadAnswer;
use super::spool::Spool;

/// Records in a message: some 12 KB, so that a slow connection delivers one long before it counts as silent.
const BATCH: usize = 512;

const OLDEST: Duration = Duration::from_millis(100);

/// Interval of looks at the machine, as for a local load; they also show that the agent lives.
const LOOK: Duration = Duration::from_millis(250);

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
        if last.at().elapsed() >= LOOK {
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

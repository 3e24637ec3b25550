//! The principal function is [`pump`]: a load, and its records on their way while it runs.

use std::thread;
use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadError, LoadPlan, RecordBatch, RequestRecord, Waited};
use unladen_machine::MachineClock;

use super::message::LoadAnswer;
use super::spool::Spool;

/// Records in a message: some 12 KB, so that a narrow way has told one long before it counts as silent.
const BATCH: usize = 512;

/// A batch is sent when it is older than this.
const OLDEST: Duration = Duration::from_millis(100);

/// How often the machine is looked at, as where the load is sent from here; it also says that the agent lives.
const LOOK: Duration = Duration::from_millis(250);

/// How long records may be on their way after the load's end; what is left then is counted.
const DRAIN: Duration = Duration::from_secs(60);

/// The same once the load was given up: whoever did that waits.
const ONCE_CANCELLED: Duration = Duration::from_secs(1);

/// Sends as planned, and hands on what comes of it by a thread of its own: how fast `send` is delays no request.
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
                // When nobody takes the records any more, nothing is to be sent for them.
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

/// Sends as planned; what comes of it goes into the spool.
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
            // Where there is no room, the next one tells of this time, too.
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

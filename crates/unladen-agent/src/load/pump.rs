//! The principal function is [`pump`]: a load, and its records on their way while it runs.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadError, LoadPlan, RecordBatch, RequestRecord, Waited};
use unladen_machine::MachineClock;

use super::message::LoadAnswer;

/// Records in a message: some 50 KB.
const BATCH: usize = 2_048;

/// A batch is sent when it is older than this.
const OLDEST: Duration = Duration::from_millis(100);

/// How often the machine is looked at, as where the load is sent from here; it also says that the agent lives.
const LOOK: Duration = Duration::from_millis(250);

/// Sends as planned. Records wait in the driver while `send` does, which is bounded: then it sends late, and says so.
pub(super) fn pump(
    driver: &mut Driver,
    plan: LoadPlan,
    start: Instant,
    cancel: &Cancel,
    send: &dyn Fn(LoadAnswer) -> bool,
) -> Result<LoadEnd, LoadError> {
    let mut running = driver.load(plan, cancel)?;
    let mut clock = MachineClock::open();
    let mut last = clock.read();
    let mut batch = RecordBatch::default();
    let mut sent = Instant::now();
    // When nobody takes the records any more, nothing is to be sent for them.
    let told = |answer| {
        if !send(answer) {
            cancel.cancel();
        }
    };
    loop {
        match running.wait(OLDEST) {
            Waited::Outcomes(outcomes) => {
                outcomes.iter().for_each(|outcome| batch.push(&RequestRecord::of(outcome, start)));
            }
            Waited::Nothing => {}
            Waited::Ended => break,
        }
        if batch.len() >= BATCH || !batch.is_empty() && sent.elapsed() >= OLDEST {
            told(LoadAnswer::Records(std::mem::take(&mut batch)));
            sent = Instant::now();
        }
        if last.at().elapsed() >= LOOK {
            let now = clock.read();
            let end = now.at().saturating_duration_since(start);
            let end_ns = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
            told(LoadAnswer::Look { end_ns, times: (&now.since(&last)).into() });
            last = now;
        }
    }
    if !batch.is_empty() {
        told(LoadAnswer::Records(batch));
    }
    let now = clock.read();
    let end_ns = u64::try_from(now.at().saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX);
    told(LoadAnswer::Look { end_ns, times: (&now.since(&last)).into() });
    running.end()
}

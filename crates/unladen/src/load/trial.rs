//! [`send`]: one stretch of load, and what it came to.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadPlan, RequestRecord, Waited};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::machine_log::MachineLog;
use crate::load::recorder::Recorder;

/// How often the line that tells how far it is is drawn anew.
const LOOK: Duration = Duration::from_millis(250);

/// How often the records are handed to the system: so much of them is lost if the process is killed.
const STORE: Duration = Duration::from_secs(1);

/// A stretch of load that has ended.
pub(crate) struct Sent {
    pub(crate) account: Account,
    pub(crate) end: LoadEnd,
    /// What the machine did meanwhile.
    pub(crate) machine: MachineLog,
}

/// Sends as planned, and keeps the account meanwhile; `watch` is called some times a second.
///
/// # Errors
/// When the client cannot go on, or the records cannot be written.
pub(crate) fn send(
    driver: &mut Driver,
    plan: LoadPlan,
    mut account: Account,
    cancel: &Cancel,
    mut recorder: Option<&mut Recorder>,
    watch: &mut dyn FnMut(&Account, Duration),
) -> Result<Sent, Failure> {
    let mut running = driver.load(plan, cancel)?;
    let started = running.started();
    let mut machine = MachineLog::begin(started);
    let (mut looked, mut stored) = (Instant::now(), Instant::now());
    loop {
        match running.wait(LOOK) {
            Waited::Outcomes(batch) => {
                for outcome in &batch {
                    let record = RequestRecord::of(outcome, started);
                    account.record(&record);
                    if let Some(recorder) = &mut recorder {
                        recorder.record(&record)?;
                    }
                }
            }
            Waited::Nothing => {}
            Waited::Ended => break,
        }
        if let Some(recorder) = recorder.as_mut().filter(|_| stored.elapsed() >= STORE) {
            stored = Instant::now();
            recorder.store()?;
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            machine.look();
            watch(&account, started.elapsed());
        }
    }
    let end = running.end()?;
    machine.end();
    Ok(Sent { account, end, machine })
}

//! [`send`]: one stretch of load, and what it came to.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadPlan, RequestRecord, Waited};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::agent_part::AgentPart;
use crate::load::books::Books;
use crate::load::machine_log::MachineLog;
use crate::load::recorder::Recorder;

/// How often the line that tells how far it is is drawn anew.
pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// Called some times a second, with the account so far and the time since the start.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(&Account, Duration);

/// A stretch of load that has ended.
pub(crate) struct Sent {
    pub(crate) account: Account,
    pub(crate) end: LoadEnd,
    /// What the machine did meanwhile.
    pub(crate) machine: MachineLog,
    /// The hosts that sent it; empty where this one did.
    pub(crate) agents: Vec<AgentPart>,
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
    recorder: Option<&mut Recorder>,
    watch: Watch<'_>,
) -> Result<Sent, Failure> {
    let mut running = driver.load(plan, cancel)?;
    let started = running.started();
    let mut machine = MachineLog::begin(started);
    let (mut looked, mut books) = (Instant::now(), Books::new(&mut account, recorder));
    loop {
        match running.wait(LOOK) {
            Waited::Outcomes(batch) => {
                for outcome in &batch {
                    books.record(&RequestRecord::of(outcome, started))?;
                }
            }
            Waited::Nothing => {}
            Waited::Ended => break,
        }
        books.store()?;
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            machine.look();
            watch(books.account, started.elapsed());
        }
    }
    let end = running.end()?;
    machine.end();
    Ok(Sent { account, end, machine, agents: Vec::new() })
}

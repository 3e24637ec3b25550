//! [`send`] and [`send_from`]: one stretch of load, from here or from other hosts.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, LoadEnd, LoadPlan, RecordSummary, RequestRecord, Waited};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::agent_part::AgentPart;
use crate::load::books::Books;
use crate::load::hosts::Hosts;
use crate::load::ledger::Ledger;
use crate::load::machine_log::MachineLog;
use crate::load::recorder::Recorder;

pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// Called several times a second, with the account so far and the time since the start.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(&Account, Duration);

pub(crate) struct Sent {
    pub(crate) account: Account,
    pub(crate) end: LoadEnd,
    pub(crate) machine: MachineLog,
    /// The sending hosts; empty for this one.
    pub(crate) agents: Vec<AgentPart>,
}

struct Watched<'a> {
    books: Books<'a>,
    machine: MachineLog,
    watch: Watch<'a>,
    looked: Instant,
}

/// Sends as planned and keeps the account; `watch` is called several times a second. Fails if the client cannot go on,
/// or the records cannot be written.
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
    let mut watched = Watched::begin(started, Books::new(&mut account, recorder), watch);
    loop {
        match running.wait(LOOK) {
            Waited::Outcomes(batch) => {
                for outcome in &batch {
                    watched.record(&RequestRecord::of(outcome, started))?;
                }
            }
            Waited::Nothing => {}
            Waited::Ended => break,
        }
        watched.look(started.elapsed())?;
    }
    let end = running.end()?;
    let machine = watched.end();
    Ok(Sent { account, end, machine, agents: Vec::new() })
}

/// Like [`send`], from agents. Fails if an agent cannot begin, or the records cannot be written. An agent lost later
/// ends only its own part.
pub(crate) fn send_from(
    hosts: &mut Hosts,
    plan: &LoadPlan,
    mut account: Account,
    cancel: &Cancel,
    recorder: Option<&mut Recorder>,
    watch: Watch<'_>,
) -> Result<Sent, Failure> {
    let agreed = hosts.agree(plan, hosts.count(), Duration::ZERO, cancel)?;
    let mut watched = Watched::begin(agreed.started(), Books::new(&mut account, recorder), watch);
    let (end, mut agents) = hosts.send(agreed, &mut watched, cancel)?;
    let machine = watched.end();
    hosts.measure_drift(&mut agents);
    Ok(Sent { account, end, machine, agents })
}

// === impl Watched ===

impl<'a> Watched<'a> {
    fn begin(started: Instant, books: Books<'a>, watch: Watch<'a>) -> Self {
        Self { books, machine: MachineLog::begin(started), watch, looked: Instant::now() }
    }

    fn end(mut self) -> MachineLog {
        self.machine.end();
        self.machine
    }
}

impl Ledger for Watched<'_> {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        self.books.record(record)
    }

    fn summarise(&mut self, summary: &RecordSummary) {
        self.books.summarise(summary);
    }

    fn look(&mut self, elapsed: Duration) -> Result<(), Failure> {
        self.books.store()?;
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.machine.look();
            (self.watch)(self.books.account, elapsed);
        }
        Ok(())
    }
}

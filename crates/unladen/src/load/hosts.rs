//! The principal type is [`Hosts`]: agents on other hosts that send one load together.
//!
//! All get the same plan, and each sends its share. They begin at one moment, agreed by their clocks' offsets; their
//! records count from it by each agent's own monotonic clock, so that nothing else of a load depends on clocks. All
//! records enter one account.

mod bounds;
mod far_agent;

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use unladen_agent::{Host, Session, SessionOptions, shown};
use unladen_load::{Cancel, ConfigForm, DriverConfig, End, LoadEnd, LoadPlan, PlanForm, Share};
use unladen_report::{Lost, nanos};

use crate::exit::Failure;
use crate::load::account::{AgentPart, Ledger};
use crate::load::hosts::bounds::Bounds;
use crate::load::hosts::far_agent::{FarAgent, LONGEST_SENTENCE, Told};

/// Pings that measure a clock's offset: the one with the shortest round trip says most …
const PINGS: usize = 16;
/// … fewer before each further load, as the clocks may have drifted …
const PINGS_AGAIN: usize = 4;

/// … and after a load, only to report the drift.
const PINGS_AFTER: usize = 4;

/// The start is agreed this many of the longest round trips ahead …
const ROUND_TRIPS: u32 = 3;
/// … and this much more, for threads to begin, which takes longest the first time.
const MARGIN: Duration = Duration::from_millis(200);
const MARGIN_AGAIN: Duration = Duration::from_millis(100);

/// Longest wait for a message before other things are checked.
const LOOK: Duration = Duration::from_millis(250);

/// Most messages that wait; agents with more wait themselves.
const WAITING: usize = 32;

pub(crate) struct Hosts {
    agents: Vec<FarAgent>,
    /// Number of requests that a mix may choose from.
    requests: usize,
    are_clocks_known: bool,
}

/// A load on which all agents have agreed: it begins by itself.
pub(crate) struct Agreed {
    pub(crate) started: Instant,
    /// Since the start.
    length: Duration,
    grace: Duration,
    /// For each agent that sends; these are the first agents.
    forms: Vec<PlanForm>,
    parts: Vec<AgentPart>,
}

impl Agreed {
    pub(crate) fn has_begun(&self) -> bool {
        Instant::now() >= self.started
    }
}

impl Hosts {
    /// Starts an agent with a client on each host, all at once. Fails if a host cannot be reached, or its client cannot
    /// be started.
    pub(crate) fn start(
        hosts: &[Host],
        sessions: &SessionOptions,
        driver: &DriverConfig,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let config = ConfigForm::of(driver)?;
        let timeout = driver.timeout + driver.connect_timeout;
        let agents = at_once(hosts, |host| FarAgent::start(host, sessions, &config, timeout, cancel))?;
        Ok(Self { agents, requests: driver.requests.len(), are_clocks_known: false })
    }

    pub(crate) fn count(&self) -> usize {
        self.agents.len()
    }

    pub(crate) fn carriers(&self) -> impl Iterator<Item = u32> {
        self.agents.iter().filter_map(|agent| agent.session.as_ref().map(Session::carrier))
    }

    /// Has each agent send the request of this index once; returns the last agent's HTTP version and latency. Fails if
    /// an answer is unexpected; the error names the host.
    pub(crate) fn sample(&mut self, request: usize, cancel: &Cancel) -> Result<(String, Duration), Failure> {
        let of_all = at_once(&mut self.agents, |agent| agent.sample(request, cancel))?;
        Ok(of_all.into_iter().next_back().unwrap_or_default())
    }

    /// Total number of answers that have set cookies for a stranger.
    pub(crate) fn strangers(&self) -> u64 {
        self.agents.iter().map(|agent| agent.strangers).fold(0, u64::saturating_add)
    }

    /// Has the first `senders` agents, at least one, agree on what to send and when to start, at least `margin` from
    /// now. Fails if an agent cannot begin.
    pub(crate) fn agree(
        &mut self,
        plan: &LoadPlan,
        senders: usize,
        margin: Duration,
        cancel: &Cancel,
    ) -> Result<Agreed, Failure> {
        let length = plan.stop.until.saturating_duration_since(Instant::now());
        let senders = senders.clamp(1, self.agents.len().max(1));
        let count = u32::try_from(senders).unwrap_or(u32::MAX);
        let shares = (0..count).map(|index| PlanForm::of(plan, length, Share::new(index, count)?));
        let forms: Vec<PlanForm> = shares.collect::<Result<_, _>>()?;
        for (agent, form) in self.agents.iter_mut().zip(&forms) {
            agent.tell_plan(form)?;
        }
        let (pings, own) = if self.are_clocks_known { (PINGS_AGAIN, MARGIN_AGAIN) } else { (PINGS, MARGIN) };
        at_once(&mut self.agents[..senders], |agent| agent.is_ready(pings, cancel))?;
        self.are_clocks_known = senders == self.agents.len();

        let senders = &mut self.agents[..senders];
        let worst = senders.iter().map(|agent| agent.longest_round_trip).max().unwrap_or_default();
        let ahead = (worst * ROUND_TRIPS + own).max(margin);
        let (now_ns, now) = (unladen_probe::monotonic_ns(), Instant::now());
        let started = now + ahead;
        let start_ns = now_ns.saturating_add(nanos(ahead));
        let parts = senders.iter().map(|agent| agent.begin(start_ns)).collect::<Result<_, _>>()?;
        Ok(Agreed { started, length, grace: plan.grace, forms, parts })
    }

    /// Passes on the agents' reports until the last agent has ended or is lost. Fails if the records cannot be written.
    /// A lost agent ends only its own part.
    pub(crate) fn send(
        &mut self,
        agreed: Agreed,
        ledger: &mut dyn Ledger,
        cancel: &Cancel,
    ) -> Result<(LoadEnd, Vec<AgentPart>), Failure> {
        let Agreed { started, length, grace, forms, parts } = agreed;
        let mut merge = Merge { parts, started };
        let (told, telling) = sync_channel(WAITING);
        let requests = self.requests;
        let failed = thread::scope(|scope| {
            for (index, (agent, form)) in self.agents.iter_mut().zip(&forms).enumerate() {
                let told = told.clone();
                let timeout = agent.timeout;
                let bounds = Bounds { started, length, grace, timeout, records: form.at_most(), requests };
                scope.spawn(move || agent.listen(index, bounds, &told, cancel));
            }
            drop(told);
            loop {
                let taken = match telling.recv_timeout(LOOK) {
                    Ok((index, told)) => merge.take(index, told, ledger),
                    Err(RecvTimeoutError::Timeout) => Ok(()),
                    Err(RecvTimeoutError::Disconnected) => return None,
                };
                if let Err(failure) = taken.and_then(|()| ledger.look(started.elapsed())) {
                    // The threads end once nobody receives.
                    drop(telling);
                    return Some(failure);
                }
            }
        });
        if let Some(failure) = failed {
            return Err(failure);
        }
        let (end, mut parts) = merge.end();
        // What was planned after an interruption is not missing; all else is, including what the others finished before
        // its time.
        let until = if end.ended == End::Cancelled { length.min(started.elapsed()) } else { length };
        for ((agent, part), form) in self.agents.iter_mut().zip(&mut parts).zip(&forms) {
            if part.lost.is_some() {
                part.missing = form.planned(until).map(|planned| planned.saturating_sub(part.recorded));
                agent.session = None;
            }
        }
        Ok((end, parts))
    }

    /// Notes in each completed part how far its agent's clock drifted since the load began.
    pub(crate) fn measure_drift(&mut self, parts: &mut [AgentPart]) {
        thread::scope(|scope| {
            for (agent, part) in self.agents.iter_mut().zip(parts).filter(|(_, part)| part.lost.is_none()) {
                scope.spawn(move || part.drift = agent.drift(PINGS_AFTER));
            }
        });
    }
}

/// Does the same with all of them.
fn at_once<O: Send, T: Send>(
    of: impl IntoIterator<Item = O>,
    act: impl Fn(O) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let done: Vec<Result<T, Failure>> = thread::scope(|scope| {
        let act = &act;
        let threads: Vec<_> = of.into_iter().map(|one| scope.spawn(move || act(one))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(ended()))).collect()
    });
    done.into_iter().collect()
}

/// The thread of an agent panicked, which is a bug of this program.
fn ended() -> Failure {
    Failure::Agent("a thread of this program that speaks to an agent ended: please report it".to_owned())
}

struct Merge {
    parts: Vec<AgentPart>,
    started: Instant,
}

impl Merge {
    fn take(&mut self, index: usize, told: Told, ledger: &mut dyn Ledger) -> Result<(), Failure> {
        let Some(part) = self.parts.get_mut(index) else { return Ok(()) };
        match told {
            Told::Records(records) => {
                for record in &records {
                    part.record(record);
                    ledger.record(record)?;
                }
            }
            Told::Summary(summary) => {
                part.summarise(&summary);
                ledger.summarise(&summary);
            }
            Told::Look(end, times) => part.machine.push(end, times),
            Told::Ended(end) => part.end = Some(*end),
            Told::Lost(heard, why) => {
                part.lost = Some(Lost { at_ns: nanos(heard.saturating_duration_since(self.started)), why });
            }
        }
        Ok(())
    }

    fn end(self) -> (LoadEnd, Vec<AgentPart>) {
        let ends: Vec<&LoadEnd> = self.parts.iter().filter_map(|part| part.end.as_ref()).collect();
        (together(&ends), self.parts)
    }
}

/// Combines the ends of all shares. The busiest thread stands for all: whether one had no time left is judged per
/// agent.
fn together(ends: &[&LoadEnd]) -> LoadEnd {
    let sum = |count: fn(&LoadEnd) -> u64| ends.iter().map(|end| count(end)).fold(0, u64::saturating_add);
    let time =
        |of: fn(&LoadEnd) -> Duration| ends.iter().map(|end| of(end)).fold(Duration::ZERO, Duration::saturating_add);
    let is = |end: End| ends.iter().any(|of| of.ended == end);
    let mut first_errors = std::collections::BTreeMap::new();
    for (kind, text) in ends.iter().flat_map(|end| &end.first_errors) {
        first_errors.entry(*kind).or_insert_with(|| shown(text, LONGEST_SENTENCE));
    }
    LoadEnd {
        ended: match () {
            () if is(End::Cancelled) => End::Cancelled,
            () if !ends.is_empty() && ends.iter().all(|end| end.ended == End::Requests) => End::Requests,
            () => End::Until,
        },
        sent: sum(|end| end.sent),
        unsent: sum(|end| end.unsent),
        abandoned: sum(|end| end.abandoned),
        bytes_sent: sum(|end| end.bytes_sent),
        bytes_received: sum(|end| end.bytes_received),
        connections_opened: sum(|end| end.connections_opened),
        closed_by_server: sum(|end| end.closed_by_server),
        retries: sum(|end| end.retries),
        cpu: time(|end| end.cpu),
        worked: ends.iter().map(|end| end.worked).max().unwrap_or_default(),
        paced: time(|end| end.paced),
        first_errors,
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Hosts`]: agents on other hosts that send one load together.
//!
//! All of them are told the one plan, and each sends its share of it. They begin at one moment, agreed by their clocks'
//! offsets; their records count from it, each by its own monotonic clock, so that nothing else of a load depends on
//! their clocks. All records come into the one account.

mod far_agent;
mod merge;

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use unladen_load::{Cancel, ConfigForm, End, LoadPlan, PlanForm, Share};

use self::far_agent::{Bounds, FarAgent};
use self::merge::Merge;
use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::agent_part::AgentPart;
use crate::load::books::Books;
use crate::load::machine_log::MachineLog;
use crate::load::options::Options;
use crate::load::recorder::Recorder;
use crate::load::trial::{LOOK, Sent, Watch};
use crate::progress::Progress;

/// Pings by which a clock's offset is measured: the shortest round trip of them says most.
const PINGS: usize = 16;

/// Pings by which it is measured once more after a load: how far it went is told, and nothing depends on it.
const PINGS_AFTER: usize = 4;

/// The start is agreed on so many of the longest round trips ahead …
const ROUND_TRIPS: u32 = 3;
/// … and this much more, for threads to begin.
const MARGIN: Duration = Duration::from_millis(200);

/// What the agents tell waits in so few messages: who tells more waits.
const WAITING: usize = 32;

/// Agents on other hosts.
pub(crate) struct Hosts {
    agents: Vec<FarAgent>,
    /// How many requests a mix may choose from.
    requests: usize,
}

// === impl Hosts ===

impl Hosts {
    /// Starts an agent on each host, all at once, and has it start a client.
    ///
    /// # Errors
    /// When a host cannot be reached, or its client cannot be started.
    pub(crate) fn start(options: &Options, cancel: &Cancel, progress: &Progress) -> Result<Self, Failure> {
        progress.say("starting the agents");
        let config = ConfigForm::of(&options.driver)?;
        let started: Vec<Result<FarAgent, Failure>> = thread::scope(|scope| {
            let start = |host| {
                let config = &config;
                let timeout = options.driver.timeout + options.driver.connect_timeout;
                scope.spawn(move || FarAgent::start(host, &options.sessions, config, timeout, cancel))
            };
            let threads: Vec<_> = options.hosts.iter().map(start).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Err(ended()))).collect()
        });
        started
            .into_iter()
            .collect::<Result<_, _>>()
            .map(|agents| Self { agents, requests: options.driver.requests.len() })
    }

    /// Has each agent send the first requests once; tells the version of HTTP of the last one.
    ///
    /// # Errors
    /// When one is not answered as expected, there; the host is named.
    pub(crate) fn try_requests(&mut self, tried: usize, cancel: &Cancel) -> Result<String, Failure> {
        let mut http = String::new();
        let of_all = self.at_once(|agent| agent.try_requests(tried, cancel))?;
        for version in of_all {
            http = version;
        }
        Ok(http)
    }

    /// How many answers have set cookies to a stranger, in all.
    pub(crate) fn strangers(&self) -> u64 {
        self.agents.iter().map(FarAgent::strangers).fold(0, u64::saturating_add)
    }

    /// Has them send as planned, and keeps the account meanwhile.
    ///
    /// # Errors
    /// When an agent cannot begin, or the records cannot be written. One that is lost later ends its own part alone.
    pub(crate) fn send(
        &mut self,
        plan: &LoadPlan,
        mut account: Account,
        cancel: &Cancel,
        recorder: Option<&mut Recorder>,
        watch: Watch<'_>,
    ) -> Result<Sent, Failure> {
        let length = plan.stop.until.saturating_duration_since(Instant::now());
        let count = u32::try_from(self.agents.len()).unwrap_or(u32::MAX);
        let shares = (0..count).map(|index| PlanForm::of(plan, length, Share::new(index, count)?));
        let forms: Vec<PlanForm> = shares.collect::<Result<_, _>>()?;
        for (agent, form) in self.agents.iter_mut().zip(&forms) {
            agent.tell_plan(form)?;
        }
        self.at_once(|agent| agent.is_ready(PINGS, cancel))?;

        let worst = self.agents.iter().map(FarAgent::longest_round_trip).max().unwrap_or_default();
        let ahead = worst * ROUND_TRIPS + MARGIN;
        let (now_ns, now) = (unladen_probe::monotonic_ns(), Instant::now());
        let started = now + ahead;
        let start_ns = now_ns.saturating_add(u64::try_from(ahead.as_nanos()).unwrap_or(u64::MAX));
        let mut parts = Vec::new();
        for agent in &mut self.agents {
            parts.push(agent.begin(start_ns)?);
        }

        let mut machine = MachineLog::begin(started);
        let mut merge = Merge::new(parts, started);
        let mut books = Books::new(&mut account, recorder);
        let (told, telling) = sync_channel(WAITING);
        let failed = thread::scope(|scope| {
            for (index, (agent, form)) in self.agents.iter_mut().zip(&forms).enumerate() {
                let told = told.clone();
                let bounds =
                    Bounds { started, length, grace: plan.grace, records: form.at_most(), requests: self.requests };
                scope.spawn(move || agent.listen(index, bounds, &told, cancel));
            }
            drop(told);
            let mut looked = Instant::now();
            loop {
                match telling.recv_timeout(LOOK) {
                    Ok((index, told)) => {
                        if let Err(failure) = merge.take(index, told, &mut books) {
                            // The threads end when nobody takes what is told.
                            drop(telling);
                            return Some(failure);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
                if let Err(failure) = books.store() {
                    drop(telling);
                    return Some(failure);
                }
                if looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    machine.look();
                    watch(books.account, started.elapsed());
                }
            }
        });
        if let Some(failure) = failed {
            return Err(failure);
        }
        machine.end();
        let (end, mut agents) = merge.end();
        // What was planned after an interruption is not missing; all else is, also what the others were done with before
        // its time.
        let until = if end.ended == End::Cancelled { length.min(started.elapsed()) } else { length };
        self.after(&mut agents, &forms, until);
        Ok(Sent { account, end, machine, agents })
    }

    /// What is known of each once all have ended: what is missing, and how far its clock went.
    fn after(&mut self, parts: &mut [AgentPart], forms: &[PlanForm], until: Duration) {
        thread::scope(|scope| {
            for ((agent, part), form) in self.agents.iter_mut().zip(parts).zip(forms) {
                scope.spawn(move || match part.lost {
                    Some(_) => {
                        part.missing = form.planned(until).map(|planned| planned.saturating_sub(part.recorded));
                        agent.leave();
                    }
                    None => part.drift = agent.drift(PINGS_AFTER),
                });
            }
        });
    }

    /// The same of all agents, at once.
    fn at_once<T: Send>(
        &mut self,
        act: impl Fn(&mut FarAgent) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let done: Vec<Result<T, Failure>> = thread::scope(|scope| {
            let act = &act;
            let threads: Vec<_> = self.agents.iter_mut().map(|agent| scope.spawn(move || act(agent))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Err(ended()))).collect()
        });
        done.into_iter().collect()
    }
}

/// The thread of an agent panicked, which is a fault of this program.
fn ended() -> Failure {
    Failure::Agent("a thread of this program that speaks to an agent ended: please report it".to_owned())
}

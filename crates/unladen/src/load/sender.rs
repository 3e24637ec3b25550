//! The principal type is [`Client`]: sends a load, from this host or several others, stretch by stretch: by a [`plan`],
//! into an [`account`].

use std::time::{Duration, Instant};

use unladen_agent::{Host, SessionOptions};
use unladen_document::Answer;
use unladen_load::{
    Cancel, Driver, DriverConfig, End, LoadEnd, LoadPlan, RecordHead, RecordSummary, RequestRecord, Stop, Waited,
};
use unladen_report::{Warning, nanos};

use crate::answered::looked_at;
use crate::exit::Failure;
use crate::load::account::{Account, AgentPart, Ledger};
use crate::load::hosts::Hosts;
use crate::load::machine_log::MachineLog;
use crate::load::options::{Options, Pace};
use crate::load::recorder::Recorder;
use crate::progress::Progress;

/// Most requests tried once before the load, so that a mistake is one error and not ten thousand.
const TRIED: usize = 20;
/// How long a schedule stays open beyond its last request, which is planned just before its end.
const SLACK: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(250);
/// Interval at which records are handed to the system: as much is lost if the process is killed.
const STORE: Duration = Duration::from_secs(1);
/// Up to this many strangers, there is no warning: as many as come from looking at a page in a browser.
const FEW: u64 = 20;

/// Called several times a second, with the account so far and the time since the start.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(&Account, Duration);

pub(crate) enum Client {
    Here(Box<Driver>),
    Hosts(Hosts),
}

/// What is to be sent, and by whom.
pub(crate) struct Loading<'a> {
    pub(crate) options: &'a Options,
    pub(crate) client: &'a mut Client,
    /// The version of HTTP.
    pub(crate) http: &'a str,
    pub(crate) cancel: &'a Cancel,
    pub(crate) progress: &'a Progress,
}

pub(crate) struct Tried {
    pub(crate) http: String,
    /// Their answers; empty if other hosts sent them.
    pub(crate) answers: Vec<Answer>,
}

pub(crate) struct Sent {
    pub(crate) account: Account,
    pub(crate) end: LoadEnd,
    pub(crate) machine: MachineLog,
    /// The sending hosts; empty for this one.
    pub(crate) agents: Vec<AgentPart>,
}

struct Watched<'a> {
    account: &'a mut Account,
    recorder: Option<&'a mut Recorder>,
    stored: Instant,
    machine: MachineLog,
    watch: Watch<'a>,
    looked: Instant,
}

impl Client {
    /// Fails if a client does not start, or a host cannot be reached.
    pub(crate) fn start(
        hosts: &[Host],
        sessions: &SessionOptions,
        config: &DriverConfig,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        if hosts.is_empty() {
            return Ok(Self::Here(Box::new(Driver::start(config.clone())?)));
        }
        Hosts::start(hosts, sessions, config, cancel).map(Self::Hosts)
    }

    /// Sends the first requests once, from everywhere. Fails if an answer is unexpected.
    pub(crate) fn try_requests(&mut self, config: &DriverConfig, cancel: &Cancel) -> Result<Tried, Failure> {
        let mut tried = Tried { http: String::new(), answers: Vec::new() };
        for index in 0..config.requests.len().min(TRIED) {
            tried.http = match self {
                Self::Here(driver) => {
                    let (sample, answer) = looked_at(driver, config, index, cancel)?;
                    tried.answers.push(answer);
                    format!("{:?}", sample.version)
                }
                Self::Hosts(hosts) => hosts.sample(index, cancel)?.0,
            };
        }
        Ok(tried)
    }

    /// Sends as planned and keeps the account; `watch` is called several times a second. Fails if nobody can begin or
    /// go on, or the records cannot be written. A host lost later ends only its own part.
    pub(crate) fn send(
        &mut self,
        plan: LoadPlan,
        mut account: Account,
        cancel: &Cancel,
        recorder: Option<&mut Recorder>,
        watch: Watch<'_>,
    ) -> Result<Sent, Failure> {
        match self {
            Self::Here(driver) => {
                let mut running = driver.load(plan, cancel)?;
                let started = running.started();
                let mut watched = Watched::begin(started, &mut account, recorder, watch);
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
            Self::Hosts(hosts) => {
                let agreed = hosts.agree(&plan, hosts.count(), Duration::ZERO, cancel)?;
                let mut watched = Watched::begin(agreed.started, &mut account, recorder, watch);
                let (end, mut agents) = hosts.send(agreed, &mut watched, cancel)?;
                let machine = watched.end();
                hosts.measure_drift(&mut agents);
                Ok(Sent { account, end, machine, agents })
            }
        }
    }

    pub(crate) fn strangers(&self) -> Option<Warning> {
        strangers(match self {
            Self::Here(driver) => driver.strangers(),
            Self::Hosts(hosts) => hosts.strangers(),
        })
    }
}

/// The warning about users that an application has met for the first time, if they are many.
pub(crate) fn strangers(strangers: u64) -> Option<Warning> {
    (strangers > FEW).then_some(Warning::Strangers { strangers })
}

impl<'a> Watched<'a> {
    fn begin(started: Instant, account: &'a mut Account, recorder: Option<&'a mut Recorder>, watch: Watch<'a>) -> Self {
        let now = Instant::now();
        Self { account, recorder, stored: now, machine: MachineLog::begin(started), watch, looked: now }
    }

    fn end(mut self) -> MachineLog {
        self.machine.end();
        self.machine
    }
}

impl Ledger for Watched<'_> {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        self.account.record(record);
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.record(record))
    }

    /// The files do not have these requests.
    fn summarise(&mut self, summary: &RecordSummary) {
        self.account.summarise(summary);
    }

    fn look(&mut self, elapsed: Duration) -> Result<(), Failure> {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.stored.elapsed() >= STORE) {
            self.stored = Instant::now();
            recorder.store()?;
        }
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.machine.look();
            (self.watch)(self.account, elapsed);
        }
        Ok(())
    }
}

pub(crate) fn plan(options: &Options, pace: &Pace, length: Duration) -> LoadPlan {
    let (schedule, time) = match pace {
        Pace::Closed => (None, length),
        Pace::Open(schedule) => (Some(schedule.clone()), length.saturating_add(SLACK)),
    };
    let stop = Stop { max_requests: options.requests, ..Stop::after(time) };
    LoadPlan {
        schedule,
        stop,
        // While requests under way may still end, those that wait for room may still begin.
        grace: options.driver.timeout,
        concurrency: options.concurrency,
        seed: options.seed,
        ..LoadPlan::new(options.mix.clone())
    }
}

pub(crate) fn account(options: &Options, pace: &Pace) -> Account {
    let steps = match pace {
        Pace::Closed => &[],
        Pace::Open(schedule) => schedule.steps(),
    };
    Account::new(&options.buckets, &options.mix, options.driver.requests.len(), steps)
}

pub(crate) fn head(options: &Options, pace: &Pace, http: &str) -> RecordHead {
    let (steps, arrivals) = match pace {
        Pace::Closed => (Vec::new(), ""),
        Pace::Open(schedule) => {
            let steps = schedule.steps().iter().map(|step| (step.from, step.to, nanos(step.time))).collect();
            (steps, schedule.arrivals().into_str())
        }
    };
    RecordHead {
        target: options.target.clone(),
        requests: options.driver.requests.iter().map(|request| request.name().to_owned()).collect(),
        steps,
        arrivals: arrivals.to_owned(),
        concurrency: options.concurrency,
        keep_alive: options.driver.keep_alive,
        keep_cookies: options.driver.keep_cookies,
        http: http.to_owned(),
        seed: options.seed,
    }
}

pub(crate) fn is_interrupted(end: &LoadEnd) -> bool {
    end.ended == End::Cancelled
}

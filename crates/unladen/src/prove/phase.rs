//! [`Sender`]: sends the requests of one arm for a phase, from this host or from several others.

use std::time::{Duration, Instant};

use unladen_load::{
    Cancel, Driver, DriverConfig, End, LoadPlan, Mix, RecordSummary, Request, RequestRecord, Schedule, Step, Stop,
};
use unladen_lockin::Arm;
use unladen_prove::{Load, Pace};
use unladen_report::nanos;

use crate::answered::{LOOKED_AT, answer};
use crate::exit::Failure;
use crate::load::{Agreed, Client, Ledger, MOST_UNDER_WAY};
use crate::prove::came::Came;
use crate::prove::options::Options;
use crate::prove::recording::{AgentPhase, ArmRecord};

/// How many requests wake the workers of a service, how many of them at once, and for how long at most.
const WOKEN: u64 = 32;
const AT_ONCE: usize = 8;
const WAKING: Duration = Duration::from_secs(2);

/// How long a schedule stays open beyond its last request.
const SLACK: Duration = Duration::from_secs(1);

pub(crate) struct Sender {
    pub(crate) client: Client,
    mixes: Vec<Mix>,
    /// Answers of each arm that was tried; empty if other hosts send.
    pub(crate) came: Vec<Vec<Came>>,
    pace: Pace,
    timeout: Duration,
    seed: u64,
    phases: u64,
    /// All requests go to this machine.
    pub(crate) is_local: bool,
    /// The requests of all arms, one after the other, in the order of the URLs.
    pub(crate) config: DriverConfig,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) time: Duration,
    pub(crate) requests: Option<u64>,
}

/// A phase that is about to begin.
pub(crate) struct Ready {
    arm: usize,
    stretch: Stretch,
    /// Other hosts begin by themselves; this one on demand.
    agreed: Option<Box<Agreed>>,
}

impl Ready {
    pub(crate) fn has_begun(&self) -> bool {
        self.agreed.as_ref().is_some_and(|agreed| agreed.has_begun())
    }
}

impl Sender {
    pub(crate) fn start(options: &Options, arms: &[Arm], cancel: &Cancel) -> Result<Self, Failure> {
        let experiment = &options.experiment;
        let load = &experiment.load;
        let (mut requests, mut mixes) = (Vec::new(), Vec::new());
        for arm in arms {
            let first = requests.len();
            requests.extend(experiment.requests(arm)?);
            let weights = experiment.urls.iter().map(|line| line.weight);
            mixes.push(Mix::weighted((first..requests.len()).zip(weights)));
        }
        let config = driver(load, requests);
        let client = Client::start(&options.hosts, &options.sessions, &config, cancel)?;
        let is_local = match &client {
            Client::Here(driver) => is_local(driver),
            // Whether the server runs here depends on what its name means here, if anything.
            Client::Hosts(_) => Driver::start(config.clone()).is_ok_and(|driver| is_local(&driver)),
        };
        Ok(Self {
            client,
            mixes,
            came: vec![Vec::new(); arms.len()],
            pace: load.pace,
            timeout: load.timeout,
            seed: options.seed,
            phases: 0,
            is_local,
            config,
        })
    }

    /// Sends each request of an arm once, to see that it is answered as expected. Returns the first one's latency.
    pub(crate) fn try_out(&mut self, arm: usize, urls: usize, cancel: &Cancel) -> Result<Duration, Failure> {
        let mut latency = Duration::ZERO;
        let mut all = Vec::new();
        for index in arm * urls..(arm + 1) * urls {
            // The first round may compile, connect and fill caches; the second is typical.
            for is_usual in [false, true] {
                latency = match &mut self.client {
                    Client::Here(driver) => {
                        let mut sample = driver.fetch(index, LOOKED_AT, cancel)?;
                        let latency = sample.exchange.latency();
                        if let Some(request) = self.config.requests.get(index).filter(|_| is_usual) {
                            let answer = answer(request, &sample, &self.config.expect);
                            sample.body_start.clear();
                            all.push(Came { sample, answer });
                        }
                        latency
                    }
                    Client::Hosts(hosts) => hosts.sample(index, cancel)?.1,
                };
            }
        }
        if let Some(came) = self.came.get_mut(arm) {
            *came = all;
        }
        Ok(latency)
    }

    pub(crate) fn carriers(&self) -> Vec<u32> {
        match &self.client {
            Client::Here(_) => Vec::new(),
            Client::Hosts(hosts) => hosts.carriers().collect(),
        }
    }

    /// Prepares a phase of an arm. Other hosts agree on its start, at least `margin` from now, while the caller reads
    /// counters.
    pub(crate) fn prepare(
        &mut self,
        arm: usize,
        stretch: Stretch,
        margin: Duration,
        cancel: &Cancel,
    ) -> Result<Ready, Failure> {
        self.phases += 1;
        let plan = self.plan(arm, stretch)?;
        let agreed = match &mut self.client {
            Client::Here(_) => None,
            Client::Hosts(hosts) => Some(Box::new(hosts.agree(&plan, hosts.count(), margin, cancel)?)),
        };
        Ok(Ready { arm, stretch, agreed })
    }

    /// Sends a phase; `None` if cancelled. The caller reads counters before and after.
    pub(crate) fn send(&mut self, ready: Ready, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let Ready { arm, stretch, agreed } = ready;
        let (begun, record) = match agreed {
            Some(agreed) => (agreed.started, self.run_agreed(*agreed, cancel)?),
            None => (Instant::now(), self.run(self.plan(arm, stretch)?, cancel)?),
        };
        // Until the time of the next request: phases that end with their last answer would follow each other faster
        // than the rate.
        let is_open = matches!(self.pace, Pace::Open { .. });
        if is_open && cancel.wait(stretch.time.saturating_sub(begun.elapsed())) {
            return Ok(None);
        }
        Ok(record)
    }

    /// Sends one request of an arm; `None` if cancelled. Of several hosts the first sends it.
    pub(crate) fn once(&mut self, arm: usize, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let plan =
            LoadPlan { stop: Stop::after(Duration::MAX).or_requests(1), ..LoadPlan::new(self.mixes[arm].clone()) };
        match &mut self.client {
            Client::Here(_) => self.run(plan, cancel),
            Client::Hosts(hosts) => {
                let agreed = hosts.agree(&plan, 1, Duration::ZERO, cancel)?;
                self.run_agreed(agreed, cancel)
            }
        }
    }

    /// Sends some requests of an arm at once, if this host sends them: each worker of a service has caches of its own to
    /// fill, and one that answers its first request while others are counted would stand out.
    pub(crate) fn wake(&mut self, arm: usize, cancel: &Cancel) -> Result<(), Failure> {
        let plan = LoadPlan {
            stop: Stop::after(WAKING).or_requests(WOKEN),
            concurrency: AT_ONCE,
            ..LoadPlan::new(self.mixes[arm].clone())
        };
        self.run(plan, cancel).map(drop)
    }

    fn plan(&self, arm: usize, stretch: Stretch) -> Result<LoadPlan, Failure> {
        // Arrivals and order differ from phase to phase, and repeat with the experiment's seed.
        let seed = self.seed.wrapping_add(self.phases.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mix = self.mixes[arm].clone();
        Ok(match self.pace {
            Pace::Open { rate, arrivals } => LoadPlan {
                schedule: Some(Schedule::new(vec![Step::steady(rate, stretch.time)], arrivals, seed)?),
                stop: Stop { max_requests: stretch.requests, ..Stop::after(stretch.time + SLACK) },
                grace: self.timeout,
                concurrency: MOST_UNDER_WAY,
                seed,
                ..LoadPlan::new(mix)
            },
            Pace::Closed { concurrency } => LoadPlan {
                stop: match stretch.requests {
                    Some(requests) => Stop::after(Duration::MAX).or_requests(requests),
                    None => Stop::after(stretch.time),
                },
                concurrency,
                seed,
                ..LoadPlan::new(mix)
            },
        })
    }

    fn run(&mut self, plan: LoadPlan, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let Client::Here(driver) = &mut self.client else { return Ok(None) };
        let begun = Instant::now();
        let mut running = driver.load(plan, cancel)?;
        let started = running.started();
        let mut record = ArmRecord::default();
        while let Some(batch) = running.next_batch() {
            batch.iter().for_each(|outcome| record.add(&RequestRecord::of(outcome, started)));
        }
        let end = running.end()?;
        record.errors += end.unsent;
        record.duration_ns = nanos(begun.elapsed());
        record.sending_ns = record.duration_ns;
        Ok((end.ended != End::Cancelled).then_some(record))
    }

    fn run_agreed(&mut self, agreed: Agreed, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let Client::Hosts(hosts) = &mut self.client else { return Ok(None) };
        let started = agreed.started;
        let mut taken = Taken::default();
        let (end, parts) = hosts.send(agreed, &mut taken, cancel)?;
        if end.ended == End::Cancelled || cancel.is_cancelled() {
            return Ok(None);
        }
        if let Some((agent, lost)) = parts.iter().find_map(|part| Some((part.name.clone(), part.lost.as_ref()?))) {
            let why = format!(
                "was lost {:.1} s after a phase began ({}). That block does not count, and the experiment ends: \
                 without its requests, the arms would not be comparable",
                lost.at_ns as f64 / 1e9,
                lost.why
            );
            return Err(Failure::AgentLost { agent, why });
        }
        let Taken { mut record, last_done_ns } = taken;
        record.errors = record.errors.saturating_add(end.unsent);
        record.duration_ns = nanos(started.elapsed());
        // Without the time that the last records were on their way.
        record.sending_ns = last_done_ns.min(record.duration_ns);
        let sending = Duration::from_nanos(record.sending_ns);
        record.agents = parts.into_iter().map(|part| AgentPhase::of(part, sending)).collect();
        Ok(Some(record))
    }
}

/// A client that sends these requests as an experiment says.
pub(crate) fn driver(load: &Load, requests: Vec<Request>) -> DriverConfig {
    DriverConfig {
        timeout: load.timeout,
        connect_timeout: load.timeout.min(Duration::from_secs(10)),
        expect: load.expect.clone(),
        tls: load.tls.clone(),
        http: load.http,
        keep_alive: load.keep_alive,
        keep_cookies: load.keep_cookies,
        ..DriverConfig::new(requests)
    }
}

fn is_local(driver: &Driver) -> bool {
    (0..).map_while(|index| driver.target(index)).all(unladen_load::Target::is_local)
}

#[derive(Default)]
struct Taken {
    record: ArmRecord,
    last_done_ns: u64,
}

impl Ledger for Taken {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        self.record.add(record);
        self.last_done_ns = self.last_done_ns.max(record.planned_ns.saturating_add(record.latency_ns));
        Ok(())
    }

    fn summarise(&mut self, summary: &RecordSummary) {
        self.record.summarise(summary);
        self.last_done_ns = self.last_done_ns.max(summary.last_done_ns);
    }

    fn look(&mut self, _: Duration) -> Result<(), Failure> {
        Ok(())
    }
}

//! [`Sender`]: sends the requests of one arm for a phase.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, DriverConfig, End, LoadOutcome, LoadPlan, Mix, Schedule, Step, Stop};
use unladen_lockin::Arm;
use unladen_prove::{Experiment, Pace};
use unladen_report::Warning;

use crate::exit::Failure;
use crate::open_loop::MOST_UNDER_WAY;
use crate::prove::recording::ArmRecord;
use crate::strangers::strangers;

/// The end of a schedule is kept open beyond its last request.
const SLACK: Duration = Duration::from_secs(1);

/// The requests of all arms, and the client that sends them.
pub(crate) struct Sender {
    driver: Driver,
    /// For each arm, its requests.
    mixes: Vec<Mix>,
    pace: Pace,
    timeout: Duration,
    seed: u64,
    phases: u64,
}

/// How long to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) time: Duration,
    pub(crate) requests: Option<u64>,
}

// === impl Sender ===

impl Sender {
    /// Starts the client.
    pub(crate) fn start(experiment: &Experiment, arms: &[Arm], seed: u64) -> Result<Self, Failure> {
        let load = &experiment.load;
        let (mut requests, mut mixes) = (Vec::new(), Vec::new());
        for arm in arms {
            let first = requests.len();
            requests.extend(experiment.requests(arm)?);
            let weights = experiment.urls.iter().map(|line| line.weight);
            mixes.push(Mix::weighted((first..requests.len()).zip(weights)));
        }
        let driver = Driver::start(DriverConfig {
            timeout: load.timeout,
            connect_timeout: load.timeout.min(Duration::from_secs(10)),
            expect: load.expect.clone(),
            tls: load.tls.clone(),
            http: load.http,
            keep_alive: load.keep_alive,
            keep_cookies: load.keep_cookies,
            ..DriverConfig::new(requests)
        })?;
        Ok(Self { driver, mixes, pace: load.pace, timeout: load.timeout, seed, phases: 0 })
    }

    /// Sends each request of an arm once, to see that it is answered as expected; gives the first one's latency.
    pub(crate) fn try_out(&mut self, arm: usize, urls: usize, cancel: &Cancel) -> Result<Duration, Failure> {
        let mut latency = Duration::ZERO;
        for index in arm * urls..(arm + 1) * urls {
            // The first may compile, connect and fill caches; what comes after it is the usual.
            for _ in 0..2 {
                latency = self.driver.sample(index, cancel)?.exchange.latency();
            }
        }
        Ok(latency)
    }

    /// Whether all that is sent goes to this machine.
    pub(crate) fn is_local(&self) -> bool {
        (0..).map_while(|index| self.driver.target(index)).all(unladen_load::Target::is_local)
    }

    /// What to say of users whom the application has met for the first time.
    pub(crate) fn strangers(&self) -> Option<Warning> {
        strangers(&self.driver)
    }

    /// Sends the requests of an arm; none when cancelled. The caller reads counters before and after.
    pub(crate) fn send(&mut self, arm: usize, stretch: Stretch, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        self.phases += 1;
        // Arrivals and order differ from phase to phase, and repeat with the experiment's seed.
        let seed = self.seed.wrapping_add(self.phases.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mix = self.mixes[arm].clone();
        let plan = match self.pace {
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
        };
        let begun = Instant::now();
        let record = self.run(plan, cancel)?;
        // Up to the time of the next request: phases that end with their last answer would follow each other faster
        // than the rate.
        let is_open = matches!(self.pace, Pace::Open { .. });
        if is_open && cancel.wait(stretch.time.saturating_sub(begun.elapsed())) {
            return Ok(None);
        }
        Ok(record)
    }

    /// Sends one request of an arm and gives its latency; none when cancelled.
    pub(crate) fn once(&mut self, arm: usize, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let plan =
            LoadPlan { stop: Stop::after(Duration::MAX).or_requests(1), ..LoadPlan::new(self.mixes[arm].clone()) };
        self.run(plan, cancel)
    }

    fn run(&mut self, plan: LoadPlan, cancel: &Cancel) -> Result<Option<ArmRecord>, Failure> {
        let begun = Instant::now();
        let mut running = self.driver.load(plan, cancel)?;
        let mut record = ArmRecord::default();
        while let Some(batch) = running.next_batch() {
            batch.iter().for_each(|outcome| add(&mut record, outcome));
        }
        let end = running.end()?;
        record.errors += end.unsent;
        record.duration_ns = nanos(begun.elapsed());
        Ok((end.ended != End::Cancelled).then_some(record))
    }
}

fn add(record: &mut ArmRecord, outcome: &LoadOutcome) {
    let is_cut_short = outcome.error == Some(unladen_load::ErrorKind::Timeout);
    let answered = outcome.error.is_none();
    record.answered += u64::from(answered);
    record.body_bytes += if answered { outcome.body_bytes } else { 0 };
    record.errors += u64::from(!answered);
    record.cut_short += u64::from(is_cut_short);
    record.changed += u64::from(outcome.changed);
    if let Some(status) = outcome.status {
        *record.statuses.entry(status).or_default() += 1;
    }
    if answered || is_cut_short {
        record.latencies_ns.push(nanos(outcome.latency()));
    }
    match outcome.lag {
        Some(lag) => record.lags_ns.push(nanos(lag)),
        None => record.waited += 1,
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

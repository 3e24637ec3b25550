//! The principal type is [`Calls`]: requests by `unladen-load` to what serves here, back to back or at a rate. [`Ask`]
//! says which.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use unladen_load::{
    Arrivals, Cancel, ConnectTo, Driver, DriverConfig, HttpVersion, LoadOutcome, LoadPlan, Mix, Request, Roots,
    Schedule, Stop,
};

use crate::Result;
use crate::figures::quantile;
use crate::running::Listen;

/// Whoever was called may do something when the last answer has come: close what the client has closed, for one.
pub(crate) const SETTLE: Duration = Duration::from_millis(30);

/// What waits for others to end is sent as late as this, and its latency tells.
const GRACE: Duration = Duration::from_secs(10);

/// What is asked for, and what is to come of it: a load of contestants/cases.toml.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Ask {
    pub(crate) what: String,
    pub(crate) to: String,
    pub(crate) unix: bool,
    pub(crate) tls: bool,
    pub(crate) path: String,
    /// Bytes of the body that has to come; a 304 has none.
    pub(crate) length: u64,
    /// A further line of the request's head.
    pub(crate) field: Option<String>,
    /// Bytes of the request's own body; a request without one is a GET.
    pub(crate) upload: u64,
    pub(crate) connections: usize,
    pub(crate) new: bool,
    pub(crate) requests: Option<u64>,
    pub(crate) of_megabyte: bool,
    pub(crate) most: BTreeMap<String, f64>,
    pub(crate) flat: Option<f64>,
}

/// How much of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    Time(Duration),
    Requests(u64),
}

/// What came of it.
pub(crate) struct Called {
    outcomes: Vec<LoadOutcome>,
    pub(crate) wall: Duration,
    upload: u64,
}

/// A client with its connections.
pub(crate) struct Calls {
    driver: Driver,
    /// Of the answer to each request.
    lengths: Vec<u64>,
    mix: Mix,
    connections: usize,
    upload: u64,
    rate: Option<f64>,
}

impl Ask {
    /// A small number of requests for this.
    pub(crate) fn of(path: &str, length: u64, connections: usize) -> Self {
        Self { path: path.to_owned(), length, connections, ..Self::default() }
    }

    pub(crate) fn amount(&self) -> Amount {
        self.requests.map_or(Amount::Time(Duration::from_secs(2)), Amount::Requests)
    }

    /// Before what counts: pools fill, memory is had, sessions of TLS are there to be resumed.
    pub(crate) fn warm_up(&self) -> Amount {
        match self.requests {
            Some(_) => Amount::Requests(self.connections as u64),
            None => Amount::Time(Duration::from_millis(500)),
        }
    }
}

impl Calls {
    /// By TLS with the authority to trust.
    pub(crate) fn to(listen: &Listen, ca: Option<&Path>, ask: &Ask) -> Result<Self> {
        Self::with(listen, ca, ask, &[(ask.path.clone(), ask.length, 1.0)])
    }

    /// For several, each with the length of its answer, and how often it is asked for: drawn in the same order each time.
    pub(crate) fn with(listen: &Listen, ca: Option<&Path>, ask: &Ask, pages: &[(String, u64, f64)]) -> Result<Self> {
        let (host, instead) = match listen {
            Listen::Tcp(port) => (format!("localhost:{port}"), ConnectTo::Address(([127, 0, 0, 1], *port).into())),
            Listen::Unix(path) => ("localhost".to_owned(), ConnectTo::Unix(path.clone())),
        };
        let scheme = if ca.is_some() { "https" } else { "http" };
        let request = |(path, _, _): &(String, u64, f64)| -> Result<Request> {
            let mut request = Request::get(&format!("{scheme}://{host}{path}"))?;
            if let Some(field) = &ask.field {
                request = request.header(field.parse()?);
            }
            if ask.upload > 0 {
                request = request.method("POST")?.body(vec![b'.'; usize::try_from(ask.upload)?]);
            }
            Ok(request.build()?)
        };
        let requests = pages.iter().map(request).collect::<Result<Vec<_>>>()?;
        let mut calls = Self::sending(requests, ask, Some(instead), ca)?;
        calls.lengths = pages.iter().map(|(_, length, _)| *length).collect();
        calls.mix = Mix::weighted(pages.iter().enumerate().map(|(index, (_, _, weight))| (index, *weight)));
        Ok(calls)
    }

    /// These, as often each; whatever comes is right.
    pub(crate) fn sending(
        requests: Vec<Request>,
        ask: &Ask,
        instead: Option<ConnectTo>,
        ca: Option<&Path>,
    ) -> Result<Self> {
        let mix = Mix::weighted((0..requests.len()).map(|index| (index, 1.0)));
        let mut config = DriverConfig {
            connect_to: instead,
            concurrency: ask.connections,
            keep_alive: !ask.new,
            http: HttpVersion::Http1,
            timeout: Duration::from_secs(15),
            ..DriverConfig::new(requests)
        };
        config.expect.statuses = "200,304".parse()?;
        if let Some(ca) = ca {
            config.tls.roots = Roots::Only(ca.into());
        }
        let driver = Driver::start(config)?;
        Ok(Self { driver, lengths: Vec::new(), mix, connections: ask.connections, upload: ask.upload, rate: None })
    }

    /// From now on so many a second, in place of back to back.
    pub(crate) fn at_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Returns when all is answered; an answer that is not as it has to be is an error.
    pub(crate) fn call(&mut self, amount: Amount) -> Result<Called> {
        let called = self.outcomes(self.mix.clone(), amount)?;
        for outcome in &called.outcomes {
            if let Some(error) = outcome.error {
                return Err(format!("a request failed: {error:?}, status {:?}", outcome.status).into());
            }
            if let Some(length) = self.lengths.get(outcome.request).filter(|length| **length != outcome.body_bytes) {
                return Err(format!("a body of {} bytes, not {length}", outcome.body_bytes).into());
            }
        }
        Ok(called)
    }

    /// Each page so often, one after the other.
    pub(crate) fn each(&mut self, times: u64) -> Result<()> {
        (0..self.lengths.len().max(1)).try_for_each(|index| {
            self.mix = Mix::only(index);
            self.call(Amount::Requests(times)).map(drop)
        })
    }

    /// What came of each request, whatever it is.
    pub(crate) fn try_call(&mut self, amount: Amount) -> Result<Vec<LoadOutcome>> {
        Ok(self.outcomes(self.mix.clone(), amount)?.outcomes)
    }

    fn outcomes(&mut self, mix: Mix, amount: Amount) -> Result<Called> {
        let begun = Instant::now();
        let stop = match amount {
            Amount::Time(time) => Stop::after(time),
            Amount::Requests(requests) => Stop::after(Duration::MAX).or_requests(requests),
        };
        let schedule = self.rate.map(|rate| Schedule::steady(rate, Arrivals::Constant, 0)).transpose()?;
        // A schedule begins a little later, when its threads are there.
        let start = schedule.is_none().then_some(begun);
        let (concurrency, grace) = (self.connections, GRACE);
        let plan = LoadPlan { schedule, start, stop, grace, concurrency, ..LoadPlan::new(mix) };
        let mut running = self.driver.load(plan, &Cancel::new())?;
        let mut outcomes = Vec::new();
        while let Some(batch) = running.next_batch() {
            outcomes.extend(batch);
        }
        let wall = begun.elapsed();
        match running.end()?.unsent {
            0 => Ok(Called { outcomes, wall, upload: self.upload }),
            unsent => Err(format!("{unsent} requests were not sent in time").into()),
        }
    }
}

impl Called {
    pub(crate) fn requests(&self) -> f64 {
        self.outcomes.len() as f64
    }

    pub(crate) fn rate(&self) -> f64 {
        self.requests() / self.wall.as_secs_f64()
    }

    /// Of bodies, in both directions.
    pub(crate) fn megabytes(&self) -> f64 {
        self.outcomes.iter().map(|outcome| outcome.body_bytes + self.upload).sum::<u64>() as f64 / 1e6
    }

    /// From the planned time to the end.
    pub(crate) fn latency_us(&self, share: f64) -> f64 {
        of(share, self.outcomes.iter().map(LoadOutcome::latency))
    }

    /// How late requests were sent.
    pub(crate) fn lag_us(&self, share: f64) -> f64 {
        of(share, self.outcomes.iter().filter_map(|outcome| outcome.lag))
    }
}

fn of(share: f64, times: impl Iterator<Item = Duration>) -> f64 {
    let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e6).collect();
    times.sort_unstable_by(f64::total_cmp);
    quantile(&times, share).unwrap_or(f64::NAN)
}

//! The principal type is [`Load`]: requests by `unladen-load`, at a rate or back to back, from a process of its own:
//! its thread that sends has real-time priority where it may, and nothing else to do.

use std::path::Path;
use std::time::{Duration, Instant};

use unladen_load::{
    Arrivals, Cancel, Driver, DriverConfig, HttpVersion, LoadPlan, Mix, Request, Roots, Schedule, Stop,
};

use crate::schedule::quantile;
use crate::{Result, children, roles};

/// What waits for others to end is sent as late as this, and its latency tells.
const GRACE: Duration = Duration::from_secs(10);

pub(crate) struct Load<'a> {
    pub(crate) url: &'a str,
    /// The authority to trust, where the URL takes one.
    pub(crate) ca: Option<&'a Path>,
    /// Requests a second; none for back to back.
    pub(crate) rate: Option<f64>,
    pub(crate) connections: usize,
    /// Bytes of the body that has to come; none: whatever comes is right.
    pub(crate) length: Option<u64>,
}

/// What came of it; an answer other than 200 is an error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loaded {
    pub(crate) requests: f64,
    pub(crate) seconds: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) p999_us: f64,
    /// Of how late requests were sent.
    pub(crate) lag_p999_us: f64,
}

impl Load<'_> {
    /// The warm-up's requests are not counted.
    pub(crate) fn run(&self, warm_up: Duration, time: Duration) -> Result<Loaded> {
        let mut command = children::tied(std::env::current_exe()?);
        command.args([roles::LOADER, self.url]).arg(self.ca.unwrap_or(Path::new("-")));
        command.args([self.rate.unwrap_or(0.0).to_string(), self.connections.to_string()]);
        command.args([warm_up, time].map(|time| time.as_millis().to_string()));
        command.arg(self.length.map_or("-".to_owned(), |length| length.to_string()));
        let said = children::run(&mut command)?.stdout;
        let values: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match values[..] {
            [requests, seconds, p50_us, p99_us, p999_us, lag_p999_us] => {
                Ok(Loaded { requests, seconds, p50_us, p99_us, p999_us, lag_p999_us })
            }
            _ => Err(format!("no six numbers: {said}").into()),
        }
    }
}

/// As that process.
pub(crate) fn be_the_loader(arguments: &[String]) -> Result<()> {
    let [url, ca, rate, connections, warm_up, time, length] = arguments else {
        return Err("URL CA RATE CONNECTIONS WARM-UP TIME LENGTH".into());
    };
    let connections = connections.parse()?;
    let rate: f64 = rate.parse()?;
    let length: Option<u64> = if length == "-" { None } else { Some(length.parse()?) };
    let mut config = DriverConfig {
        concurrency: connections,
        http: HttpVersion::Http1,
        ..DriverConfig::new(vec![Request::get(url)?.build()?])
    };
    if ca != "-" {
        config.tls.roots = Roots::Only(ca.into());
    }
    let mut driver = Driver::start(config)?;
    let mut latencies = Vec::new();
    let mut lags = Vec::new();
    let mut seconds = 0.0;
    for time in [warm_up, time] {
        let time = Duration::from_millis(time.parse()?);
        latencies.clear();
        lags.clear();
        let schedule = if rate > 0.0 { Some(Schedule::steady(rate, Arrivals::Constant, 0)?) } else { None };
        let plan = LoadPlan {
            schedule,
            stop: Stop::after(time),
            grace: GRACE,
            concurrency: connections,
            ..LoadPlan::new(Mix::only(0))
        };
        let begun = Instant::now();
        let mut running = driver.load(plan, &Cancel::new())?;
        while let Some(batch) = running.next_batch() {
            for outcome in batch {
                if let Some(error) = outcome.error {
                    return Err(format!("a request failed: {error:?}, status {:?}", outcome.status).into());
                }
                if let Some(length) = length.filter(|length| *length != outcome.body_bytes) {
                    return Err(format!("a body of {} bytes, not {length}", outcome.body_bytes).into());
                }
                latencies.push(us(outcome.done.duration_since(outcome.planned)));
                lags.extend(outcome.lag.map(us));
            }
        }
        seconds = begun.elapsed().as_secs_f64();
        let end = running.end()?;
        if end.unsent > 0 {
            return Err(format!("{} requests were not sent in time", end.unsent).into());
        }
    }
    latencies.sort_unstable_by(f64::total_cmp);
    lags.sort_unstable_by(f64::total_cmp);
    let of = |share| quantile(&latencies, share).ok_or("no request was sent");
    let lag = quantile(&lags, 0.999).unwrap_or(0.0);
    println!("{} {seconds} {} {} {} {lag}", latencies.len(), of(0.5)?, of(0.99)?, of(0.999)?);
    Ok(())
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

//! `unladen load`: the command line, and what it resolves to.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use unladen_load::{AccessLog, Arrivals, Cancel, LoadError, Mix, Request, Schedule, Step};
use unladen_lockin::samples_needed;
use unladen_report::Load;
use url::Url;

use crate::cmd::sending::{Sending, Weighted};
use crate::cmd::showing::Showing;
use crate::exit::Failure;
use crate::load::{BUCKETS_MS, Files, Limit, Options, Pace};
use crate::output::Report;
use crate::{interrupt, load, output};

/// Load at an exact rate, whatever the server does, and the latencies that users would see
///
/// With --rate (or --step) requests are sent at their planned times, whether or not those before them were answered, and
/// latency counts from the planned time. Without, --concurrency requests are under way at any time, as with ab or wrk.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    unladen load --rate 40 --requests 4800 http://127.0.0.1:8080/\n  \
    unladen load --concurrency 7 --requests 1000 http://127.0.0.1:8080/\n  \
    unladen load --step 10..200:5min --arrivals poisson -o ramp.svg http://127.0.0.1:8080/\n  \
    unladen load --find-capacity --within 'p95<100ms' http://127.0.0.1:8080/\n  \
    unladen load --access-log access.log --rate 20 -t 5min http://127.0.0.1:8080")]
pub(super) struct Args {
    /// The URL to load; of several each is sent as often
    #[arg(required_unless_present_any = ["urls", "replay_record"], value_name = "URL")]
    url: Vec<String>,
    /// A file of URLs: `[WEIGHT] [METHOD] URL [label]`, one a line
    #[arg(short = 'f', long, value_name = "FILE")]
    urls: Option<PathBuf>,
    /// What an access log (combined format) asks for, as often, of the server of the URL
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "urls")]
    access_log: Option<PathBuf>,

    /// Requests a second
    #[arg(short, long, value_name = "RATE", help_heading = "How much")]
    rate: Option<f64>,
    /// A step of rates, `RATE:TIME` or `RATE..RATE:TIME` for a ramp; may be repeated
    #[arg(long, value_name = "STEP", conflicts_with_all = ["rate", "time"], help_heading = "How much")]
    step: Vec<Step>,
    /// How requests follow each other at a rate
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Follow::Constant, help_heading = "How much")]
    arrivals: Follow,
    /// Requests under way at once; at a rate the most that may be [default: 1; at a rate 1000]
    #[arg(short, long, value_name = "N", help_heading = "How much")]
    concurrency: Option<usize>,
    /// How many requests
    #[arg(short = 'n', long, value_name = "N", help_heading = "How much")]
    requests: Option<u64>,
    /// How long [default: 10s, if no number of requests is given]
    #[arg(short, long, value_name = "TIME", value_parser = humantime::parse_duration, help_heading = "How much")]
    time: Option<Duration>,
    /// Look for the highest rate that holds --within, from --rate (default 10) on; --time is that of one trial
    #[arg(long, requires = "within", conflicts_with_all = ["step", "requests", "record", "hdr_log", "hdr_percentiles"], help_heading = "How much")]
    find_capacity: bool,
    /// A limit, such as p95<100ms; without --find-capacity, exit code 8 says that it was broken
    #[arg(long, value_name = "LIMIT", help_heading = "How much")]
    within: Option<Limit>,
    /// Repeats the random arrivals and the order of an earlier run
    #[arg(long, value_name = "N", help_heading = "How much")]
    seed: Option<u64>,

    #[command(flatten)]
    sending: Sending,

    /// Times of which the share of requests within is told [default: 1ms,5ms,…,10s]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = humantime::parse_duration, help_heading = "What to show")]
    buckets: Vec<Duration>,
    /// Write every request to a file, some 20 bytes each
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    record: Option<PathBuf>,
    /// Send nothing: tell the result of a load that was recorded
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "urls", "rate", "step", "requests", "time", "find_capacity", "record", "concurrency"], help_heading = "What to show")]
    replay_record: Option<PathBuf>,
    /// Write a histogram a second, as HdrHistogram's log
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    hdr_log: Option<PathBuf>,
    /// Write the distribution, as HdrHistogram's table of percentiles
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    hdr_percentiles: Option<PathBuf>,
    #[command(flatten)]
    showing: Showing,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Follow {
    /// Evenly
    Constant,
    /// At random, independently of each other, as users do
    Poisson,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let showing = args.showing.clone();
    showing.check()?;
    let written = args.record.iter().chain(&args.hdr_log).chain(&args.hdr_percentiles);
    written.into_iter().try_for_each(|file| output::check(file))?;
    let limit = args.within.clone();
    let (result, is_replay) = match args.replay_record.clone() {
        Some(file) => (load::replay(&file, &args.buckets(), &args.files())?, true),
        None => {
            let options = args.resolve()?;
            let cancel = Cancel::new();
            interrupt::on_signal(&cancel).map_err(|source| LoadError::Thread { source })?;
            (load::load(&options, &cancel)?, false)
        }
    };
    showing.show(Report::Load(&result))?;
    if result.ended == unladen_report::Ended::Interrupted && !is_replay {
        return Err(Failure::Interrupted { shown: true });
    }
    if result.requests == 0 && result.capacity.is_none() {
        return Err(Failure::NothingAnswered { planned: result.planned });
    }
    judge(&result, limit.as_ref())
}

/// Whether the limit held.
fn judge(result: &Load, limit: Option<&Limit>) -> Result<(), Failure> {
    let Some(limit) = limit else { return Ok(()) };
    match &result.capacity {
        Some(capacity) if capacity.highest.is_some() => Ok(()),
        Some(_) if !result.unfit.is_empty() => Err(Failure::Gate(format!(
            "whether any rate holds {limit} cannot be told: the generator was too late to say"
        ))),
        Some(_) => Err(Failure::Gate(format!("no rate that was tried held {limit}"))),
        None if result.planned < samples_needed(limit.quantile) => Err(Failure::TooFewRequests {
            limit: limit.to_string(),
            planned: result.planned,
            needs: samples_needed(limit.quantile),
        }),
        None => {
            // The share of requests within, of all that were planned: what failed was not.
            let share =
                result.within.iter().find(|(bound, _)| *bound == limit.latency).map_or(0.0, |(_, share)| *share);
            if share >= limit.quantile {
                return Ok(());
            }
            Err(Failure::Gate(format!(
                "{limit} was broken: {:.2} % of the requests were answered within {}, not {} %",
                share * 100.0,
                humantime::format_duration(limit.latency),
                limit.quantile * 100.0
            )))
        }
    }
}

// === impl Args ===

impl Args {
    /// From what was typed to what it means.
    fn resolve(self) -> Result<Options, Failure> {
        self.check()?;
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        let pace = self.pace(seed)?;
        let requests = self.weighted()?;
        let mix = Mix::weighted(requests.iter().enumerate().map(|(index, weighted)| (index, weighted.weight)));
        let target = self.target(&requests);
        let driver = self.sending.driver(requests.into_iter().map(|weighted| weighted.request).collect())?;
        let most = if matches!(pace, Pace::Closed) { 1 } else { Options::MOST_UNDER_WAY };
        Ok(Options {
            driver,
            mix,
            target,
            pace,
            concurrency: self.concurrency.unwrap_or(most),
            time: self.time,
            requests: self.requests,
            limit: self.within.clone(),
            find_capacity: self.find_capacity,
            buckets: self.buckets(),
            seed,
            files: self.files(),
            quiet: self.showing.quiet,
        })
    }

    /// What would otherwise be told of the schedule that it makes, or send one request and then nothing.
    fn check(&self) -> Result<(), Failure> {
        let refuse = |option: &str, value: String, expected: &str| {
            Err(Failure::Usage(format!("{option} is {value}: expected {expected}")))
        };
        if let Some(rate) = self.rate.filter(|rate| !(1e-3..=1e7).contains(rate)) {
            return refuse("--rate", rate.to_string(), "0.001 to 10,000,000 requests a second");
        }
        if let Some(concurrency) = self.concurrency.filter(|concurrency| !(1..=10_000).contains(concurrency)) {
            return refuse("--concurrency", concurrency.to_string(), "1 to 10,000");
        }
        if self.requests == Some(0) {
            return refuse("--requests", "0".into(), "at least 1");
        }
        if self.time.is_some_and(|time| time.is_zero()) {
            return refuse("--time", "0s".into(), "a time above 0, such as 30s");
        }
        Ok(())
    }

    fn pace(&self, seed: u64) -> Result<Pace, Failure> {
        let arrivals = match self.arrivals {
            Follow::Constant => Arrivals::Constant,
            Follow::Poisson => Arrivals::Poisson,
        };
        let rate = self.rate.or(self.find_capacity.then_some(10.0));
        let schedule = match rate {
            Some(rate) => {
                // Endless would do for a number of requests too, if the schedule were not what a result tells.
                let by_requests = || {
                    let seconds = self.requests.unwrap_or(0) as f64 / rate;
                    // Poisson's requests may come later than planned on average; the number ends the load. With 40 more
                    // than twice as many, too few come in one of 10^17 runs at worst.
                    let spare = if arrivals == Arrivals::Poisson { seconds + 40.0 / rate } else { 0.0 };
                    Duration::try_from_secs_f64(seconds + spare).unwrap_or(Duration::MAX)
                };
                let time = match (self.time, self.requests) {
                    (Some(time), _) => time,
                    (None, Some(_)) if rate > 0.0 => by_requests(),
                    (None, _) => Options::TIME,
                };
                Schedule::new(vec![Step::steady(rate, time)], arrivals, seed)?
            }
            None if !self.step.is_empty() => Schedule::new(self.step.clone(), arrivals, seed)?,
            None => return Ok(Pace::Closed),
        };
        Ok(Pace::Open(schedule))
    }

    fn weighted(&self) -> Result<Vec<Weighted>, Failure> {
        let Some(file) = &self.access_log else { return self.sending.requests(&self.url, self.urls.as_deref()) };
        let [server] = self.url.as_slice() else {
            return Err(Failure::Usage("--access-log takes one URL: that of the server".into()));
        };
        let server = Request::get(server)?.build()?.url().clone();
        let log = AccessLog::read(file)?;
        if log.skipped() > 0 {
            eprintln!(
                "unladen: {} lines of {} were passed over: other methods than GET, or answered 400 and above",
                log.skipped(),
                file.display()
            );
        }
        let mut requests = Vec::new();
        for (target, count) in log.entries() {
            let url = Url::options().base_url(Some(&server)).parse(target);
            // A target that begins with two slashes would name another host.
            let Some(url) = url.ok().filter(|url| url.origin() == server.origin()) else { continue };
            let request = self.sending.dress(Request::get(url.as_str())?.named(target), None)?;
            requests.push(Weighted { request, weight: count as f64 });
        }
        if requests.is_empty() {
            return Err(Failure::Usage(format!("{} names no path of {server}", file.display())));
        }
        Ok(requests)
    }

    fn target(&self, requests: &[Weighted]) -> String {
        let from = self.access_log.as_ref().or(self.urls.as_ref());
        match (from, requests) {
            (None, [only]) => only.request.url().to_string(),
            (None, _) => self.url.join(" "),
            (Some(file), _) => format!("{} URLs of {}", requests.len(), file.display()),
        }
    }

    fn buckets(&self) -> Vec<Duration> {
        let mut buckets = self.buckets.clone();
        if buckets.is_empty() {
            buckets.extend(BUCKETS_MS.map(Duration::from_millis));
        }
        buckets.extend(self.within.as_ref().map(|limit| limit.latency));
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }

    fn files(&self) -> Files {
        Files {
            record: self.record.clone(),
            hdr_log: self.hdr_log.clone(),
            hdr_percentiles: self.hdr_percentiles.clone(),
        }
    }
}

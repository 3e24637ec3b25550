//! `unladen load`: the command line, and what it resolves to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use unladen_agent::SessionOptions;
use unladen_document::{Gate, LinesPassedOver, LoadDocument, LogLines, statuses_text};
use unladen_load::{AccessLog, Arrivals, Mix, Request, Schedule, Step, rate_of};
use unladen_report::{Ended, Report};

use crate::cmd::keeping::KeepArgs;
use crate::cmd::sending::{Sending, Weighted};
use crate::cmd::showing::Showing;
use crate::cmd::values::{check_concurrency, concurrency, latency, seed, sending_hosts, some, some_time};
use crate::condition::Condition;
use crate::exit::Failure;
use crate::interrupt;
use crate::latency::{BUCKETS_MS, LOAD_QUANTILES};
use crate::load::{self, Files, Limit, MOST_UNDER_WAY, Options, Pace};
use crate::output;
use crate::runs::Origin;
use crate::say::say;

/// Send load at an exact rate, whatever the server does, and report the latencies that users would see
///
/// With --rate (or --step) requests are sent at their planned times, whether or not earlier ones were answered, and
/// latency counts from the planned time. Without it, --concurrency requests run at any time, as with ab or wrk.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    unladen load --rate 40 --requests 4800 http://127.0.0.1:8080/\n  \
    unladen load --concurrency 7 --requests 1000 http://127.0.0.1:8080/\n  \
    unladen load --step 10..200:5min --arrivals poisson -o ramp.svg http://127.0.0.1:8080/\n  \
    unladen load --rate 40 -t 2min --fail-on 'p95>50ms' --fail-on 'errors>0.1%' http://localhost/\n  \
    unladen load --find-capacity 'p95<100ms' http://127.0.0.1:8080/\n  \
    unladen load --access-log access.log --rate 20 -t 5min http://127.0.0.1:8080\n  \
    unladen load --rate 60k -t 1min --from 'ssh gen1' --from 'ssh gen2' https://shop.example/")]
pub(super) struct Args {
    /// The URL to load; several URLs are requested equally often
    #[arg(required_unless_present_any = ["urls", "replay"], value_name = "URL")]
    url: Vec<String>,
    /// A file of URLs: `[WEIGHT] [METHOD] URL [label]`, one per line
    #[arg(short = 'f', long, value_name = "FILE")]
    urls: Option<PathBuf>,
    /// Repeat the GET requests of an access log (combined format), as often as in the log, at the URL's server
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with_all = ["urls", "method", "data", "data_raw"])]
    access_log: Option<PathBuf>,

    /// Requests per second, such as 40, 40/s, 600/min or 1k
    #[arg(short, long, alias = "rps", value_name = "RATE", value_parser = rate_of, help_heading = "How much")]
    rate: Option<f64>,
    /// A step of rates, `RATE:TIME` or `RATE..RATE:TIME` for a ramp; may be repeated
    #[arg(long, value_name = "STEP", conflicts_with_all = ["rate", "time"], help_heading = "How much")]
    step: Vec<Step>,
    /// How requests are spaced at a rate
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Follow::Constant, help_heading = "How much")]
    arrivals: Follow,
    /// How many requests run at once; with a rate, at most [default: 1; with a rate 1000]
    #[arg(short, long, alias = "vus", value_name = "N", value_parser = concurrency, help_heading = "How much")]
    concurrency: Option<usize>,
    /// How many requests, such as 500, 10k or 1M
    #[arg(short = 'n', long, alias = "iterations", value_name = "N", value_parser = some, help_heading = "How much")]
    requests: Option<u64>,
    /// How long, such as 30s or 2min; with --find-capacity, how long one trial lasts [default: 10s, if no number of
    /// requests is given]
    #[arg(short, long, alias = "duration", value_name = "TIME", value_parser = some_time, help_heading = "How much")]
    time: Option<Duration>,
    /// Search for the highest rate that holds a limit such as 'p95<100ms', starting at --rate (default 10)
    #[arg(long, value_name = "LIMIT", conflicts_with_all = ["step", "requests", "record", "hdr_log", "hdr_percentiles"], help_heading = "How much")]
    find_capacity: Option<Limit>,
    /// Exit with code 8 if this condition certainly holds, such as 'p95 > 5ms' or 'errors > 1%'; may be repeated. A
    /// condition on errors also sets the share that is acceptable, instead of exit code 4 for any error
    #[arg(long, value_name = "CONDITION", conflicts_with = "find_capacity", help_heading = "How much")]
    fail_on: Vec<Condition>,
    /// Fail also if it is undecided whether a condition of --fail-on is met
    #[arg(long, requires = "fail_on", help_heading = "How much")]
    strict: bool,
    /// Repeat the random arrivals and the order of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How much")]
    seed: Option<u64>,

    /// A host to send from: a command that runs a program there and passes its stdin and stdout, such as 'ssh gen1', or
    /// with a name for it, gen1='ssh root@10.0.0.9'; may be repeated
    #[arg(long, value_name = "[NAME=]COMMAND", help_heading = "Where from")]
    from: Vec<String>,
    /// Send nothing: show the result of a load whose requests --record wrote to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "urls", "from", "rate", "step", "requests", "time", "find_capacity", "record", "concurrency"], help_heading = "Where from")]
    replay: Option<PathBuf>,
    /// Do not copy a program to a host where unladen is not installed
    #[arg(long, requires = "from", help_heading = "Where from")]
    no_copy: bool,
    /// The program to copy there: one from `make agent`, or one for another processor
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with = "no_copy", help_heading = "Where from")]
    agent: Option<PathBuf>,

    #[command(flatten)]
    sending: Sending,

    /// Latency bounds: the share of requests within each is shown [default: 1ms,5ms,…,10s]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = latency, help_heading = "What to show")]
    buckets: Vec<Duration>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Follow {
    /// Evenly
    Constant,
    /// At random, independently of each other, as users do
    Poisson,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    let showing = args.showing.clone();
    showing.check(false)?;
    let Files { record, hdr_log, hdr_percentiles } = &args.files;
    record.iter().chain(hdr_log).chain(hdr_percentiles).try_for_each(|file| output::check(file))?;
    let (limit, conditions, is_strict) = (args.find_capacity.clone(), args.fail_on.clone(), args.strict);
    load::gate::check(&conditions, &LOAD_QUANTILES.map(|(name, _)| name)).map_err(Failure::Usage)?;
    let keep = args.keep.clone();
    let (mut result, keeper) = match &args.replay {
        Some(file) => (load::replay(file, &args.buckets(), &args.files)?, None),
        None => {
            let options = args.resolve()?;
            let keeper = keep.keeper(typed, showing.quiet)?;
            let cancel = interrupt::on_signal()?;
            (load::load(&options, &cancel)?, Some(keeper))
        }
    };
    result.gates = load::gate::gates(&conditions, &result);
    if is_strict {
        Gate::be_strict(&mut result.gates);
    }
    result
        .about
        .complete(keeper.as_ref().map_or_else(|| Origin::of_file(typed).about(), |keeper| keeper.origin.about()));
    let report = Report::Load(&result);
    match &keeper {
        Some(keeper) => showing.show_and_keep(report, keeper, || None)?,
        None => showing.show(report)?,
    }
    if result.ended == Ended::Interrupted.into_str() && keeper.is_some() {
        return Err(Failure::Interrupted { shown: true });
    }
    verdict(&result, limit.as_ref(), &conditions)
}

/// A broken limit or condition takes precedence over requests that were not answered: `docs/reference/exit-codes.md`
/// has the order.
fn verdict(result: &LoadDocument, limit: Option<&Limit>, conditions: &[Condition]) -> Result<(), Failure> {
    judge(result, limit)?;
    if let Some(broken) = load::gate::broken(&result.gates) {
        return Err(Failure::Gate(broken));
    }
    if result.requests == 0 && result.capacity.is_none() {
        return Err(Failure::NothingAnswered { planned: result.planned });
    }
    failed(result, conditions)
}

/// Failed requests are a result but no success: a script that looks only at the exit code must not take an error page
/// for a page. A search breaks servers on purpose, and a condition on errors says how many are acceptable.
fn failed(result: &LoadDocument, conditions: &[Condition]) -> Result<(), Failure> {
    let is_accepted = conditions.iter().any(|condition| condition.metric == "errors");
    match result.failed() {
        0 => Ok(()),
        _ if is_accepted || result.capacity.is_some() => Ok(()),
        failed => Err(Failure::SomeFailed {
            failed,
            planned: result.planned,
            statuses: statuses_text(&result.statuses),
            of: String::new(),
        }),
    }
}

fn judge(result: &LoadDocument, limit: Option<&Limit>) -> Result<(), Failure> {
    let Some(limit) = limit else { return Ok(()) };
    match &result.capacity {
        Some(capacity) if capacity.highest.is_some() => Ok(()),
        Some(_) if !result.unfit.is_empty() => {
            Err(Failure::Gate(format!("whether any rate holds {limit} is unknown: the generator was too late")))
        }
        _ => Err(Failure::Gate(format!("no rate that was tried held {limit}"))),
    }
}

fn lines_of(log: &AccessLog, file: &Path) -> LogLines {
    let passed_over = log.passed_over().map(|(reason, lines)| LinesPassedOver {
        reason: reason.into_str().to_owned(),
        lines,
        about: reason.about().to_owned(),
    });
    LogLines {
        file: file.display().to_string(),
        lines: log.lines(),
        sent: log.sent(),
        passed_over: passed_over.collect(),
    }
}

impl Args {
    fn resolve(self) -> Result<Options, Failure> {
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        let pace = self.pace(seed)?;
        let hosts = sending_hosts(&self.from, "--from")?;
        let most = if matches!(pace, Pace::Closed) { hosts.len().max(1) } else { MOST_UNDER_WAY };
        let concurrency = self.concurrency.unwrap_or(most);
        check_concurrency(concurrency, hosts.len())?;
        let (requests, access_log) = self.weighted()?;
        let mix = Mix::weighted(requests.iter().enumerate().map(|(index, weighted)| (index, weighted.weight)));
        let target = self.target(&requests);
        let driver = self.sending.driver(requests.into_iter().map(|weighted| weighted.request).collect())?;
        Ok(Options {
            driver,
            mix,
            target,
            access_log,
            pace,
            concurrency,
            time: self.time,
            requests: self.requests,
            find_capacity: self.find_capacity.is_some(),
            limit: self.find_capacity.clone(),
            buckets: self.buckets(),
            seed,
            files: self.files,
            hosts,
            sessions: SessionOptions { copy: !self.no_copy, agent: self.agent, ..SessionOptions::default() },
            quiet: self.showing.quiet,
        })
    }

    fn pace(&self, seed: u64) -> Result<Pace, Failure> {
        let arrivals = match self.arrivals {
            Follow::Constant => Arrivals::Constant,
            Follow::Poisson => Arrivals::Poisson,
        };
        let rate = self.rate.or(self.find_capacity.as_ref().map(|_| 10.0));
        let schedule = match rate {
            Some(rate) => {
                // Endless would do for a number of requests too, but a result reports the schedule.
                let by_requests = || {
                    let seconds = self.requests.unwrap_or(0) as f64 / rate;
                    // Poisson requests may come later than planned; the number ends the load. With 40 more than twice
                    // as many, too few come in one of 10^17 runs at worst.
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

    fn weighted(&self) -> Result<(Vec<Weighted>, Option<LogLines>), Failure> {
        let Some(file) = &self.access_log else {
            return Ok((self.sending.requests(&self.url, self.urls.as_deref())?, None));
        };
        let [server] = self.url.as_slice() else {
            return Err(Failure::Usage("--access-log takes one URL: the server's".into()));
        };
        let server = self.sending.dress(Request::get(server)?, None)?;
        let log = AccessLog::read(file, server.host())?;
        let lines = lines_of(&log, file);
        // Said before a load that may take long; its result repeats it for later readers.
        if !lines.passed_over.is_empty() {
            say!("unladen: {lines}");
        }
        if let Some(host) = log.other_host() {
            say!("unladen: to send the requests for {host} too, use -H 'Host: {host}'");
        }
        let url = server.url().as_str();
        let weighted = log.entries().map(|(target, count)| {
            let request = self.sending.dress(Request::get(url)?.target(target)?.named(target), None)?;
            Ok(Weighted { request, weight: count as f64 })
        });
        Ok((weighted.collect::<Result<_, Failure>>()?, Some(lines)))
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
        buckets.extend(self.find_capacity.as_ref().map(|limit| limit.latency));
        buckets.extend(self.fail_on.iter().filter_map(Condition::within));
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }
}

//! The principal type is [`How`]: options that say how pages are profiled.

use std::time::Duration;

use clap::ValueEnum;
use unladen_load::time_of;

use crate::cmd::sending::Sending;
use crate::cmd::values::{seed, some, some_time};
use crate::exit::Failure;
use crate::profile::{Budget, Options, Page, Which};

/// With less, the profiler would mostly see itself.
const LEAST_PERIOD: Duration = Duration::from_micros(50);
/// With more, a request has no samples.
const MOST_PERIOD: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub(super) struct How {
    /// Which profiler
    #[arg(long, value_name = "NAME", value_enum, default_value_t = By::Auto, help_heading = "How to profile")]
    profiler: By,
    /// Excimer in a PHP without FastCGI (Apache's module, php -S) that runs the file of --print-prepend before its
    /// scripts
    #[arg(long, help_heading = "How to profile")]
    prepended: bool,
    /// Time between samples [default: 1ms]
    #[arg(long, value_name = "TIME", value_parser = time_of, help_heading = "How to profile")]
    period: Option<Duration>,
    /// Sample by elapsed time or by CPU time; Excimer only
    #[arg(long, value_name = "CLOCK", value_enum, default_value_t = ByClock::Wall, help_heading = "How to profile")]
    clock: ByClock,
    /// Make each request the first one of a fresh process; Perl only
    #[arg(long, help_heading = "How to profile")]
    fresh: bool,
    /// How long to profile, such as 30s or 2min [default: 20s]
    #[arg(short, long, alias = "duration", value_name = "TIME", value_parser = some_time, help_heading = "How long")]
    time: Option<Duration>,
    /// How many requests to profile
    #[arg(short = 'n', long, alias = "iterations", value_name = "N", value_parser = some, conflicts_with = "time", help_heading = "How long")]
    requests: Option<u64>,
    /// Repeat the order of requests of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How long")]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The one for the process that answers
    Auto,
    /// PHP's Excimer, in PHP-FPM
    Excimer,
    /// Perl's Devel::NYTProf, in a FastCGI program
    Nytprof,
    /// The kernel's clock: native and kernel frames of the processes that follow the requests
    Perf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ByClock {
    /// Elapsed time, with waiting
    Wall,
    /// CPU time, without waiting
    Cpu,
}

impl How {
    pub(super) fn resolve(&self, quiet: bool) -> Result<Options, Failure> {
        let period = self.period.unwrap_or(Duration::from_millis(1));
        if !(LEAST_PERIOD..=MOST_PERIOD).contains(&period) {
            return Err(Failure::Usage(format!("the period is {period:?}: expected 50 µs to 1 s")));
        }
        let which = match self.profiler {
            By::Auto => None,
            By::Excimer => Some(Which::Excimer),
            By::Nytprof => Some(Which::NytProf),
            By::Perf => Some(Which::Perf),
        };
        let which = match (self.prepended, which) {
            (true, None | Some(Which::Excimer)) => Some(Which::Prepended),
            (true, _) => return Err(Failure::Usage("--prepended works only with Excimer, PHP's profiler".into())),
            (false, which) => which,
        };
        let is_for = |only: Which| which.is_none_or(|which| which == only);
        if self.fresh && !is_for(Which::NytProf) {
            return Err(Failure::Usage(
                "--fresh works only with Devel::NYTProf, which starts the process that it profiles".into(),
            ));
        }
        if self.clock == ByClock::Cpu && !is_for(Which::Excimer) && !self.prepended {
            return Err(Failure::Usage(
                "--clock works only with Excimer: perf counts CPU time, Devel::NYTProf elapsed time".into(),
            ));
        }
        Ok(Options {
            which,
            period,
            of_cpu: self.clock == ByClock::Cpu,
            fresh: self.fresh,
            budget: match self.requests {
                Some(requests) => Budget::Requests(requests),
                None => Budget::Time(self.time.unwrap_or(Duration::from_secs(20))),
            },
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
            quiet,
        })
    }
}

pub(super) fn page_of(sending: &Sending, url: &str) -> Result<Page, Failure> {
    let requests = sending.requests(&[url.to_owned()], None)?;
    let driver = sending.driver(requests.into_iter().map(|weighted| weighted.request).collect())?;
    Ok(Page { title: url.to_owned(), driver })
}

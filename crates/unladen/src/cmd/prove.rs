//! `unladen prove`: the command line, and what it resolves to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_document::{Arm, Gate, Metric, statuses_text};
use unladen_load::{Arrivals, Request, rate_of};
use unladen_probe::GroupBy;
use unladen_prove::{AnswerPart, Budget, Experiment, Load, Pace};
use unladen_report::{Ended, Report};

use crate::cmd::keeping::KeepArgs;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::cmd::values::{check_concurrency, concurrency, percent, seed, sending_hosts, some, some_time};
use crate::condition::Condition;
use crate::exit::Failure;
use crate::prove::{Options, Profiles, Proved};
use crate::say::say;
use crate::{interrupt, output, prove};

/// Requests of each arm that --profile looks at: enough to know a share of 1 % to some tenths of it.
const PROFILED: u64 = 100;

/// Test whether a change makes a difference, how much, and to what else
///
/// FILE says what is switched, and how; --a and --b compare two URLs without a file. The arms take turns in random
/// order, so that whatever else the machine does affects all of them alike, and the baseline runs twice, so that its
/// difference from itself shows the noise. Everything that was switched is put back, also on failure and Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    unladen prove --a http://127.0.0.1:8080/ --b http://127.0.0.1:8081/ --rate 40\n  \
    sudo unladen prove opcache.toml\n  \
    sudo unladen prove --until 1% --fail-on 'p95 > +5%' release.toml\n  \
    sudo unladen prove --from 'ssh gen1' --from 'ssh gen2' --rate 20k release.toml\n  \
    sudo unladen prove --restore opcache.toml\n\n\
    docs/reference/experiments.md, in share/doc/unladen or the source, describes the file; `unladen prove --check \
    FILE` reports what is wrong with it.")]
pub(super) struct Args {
    /// The file of the experiment
    #[arg(required_unless_present = "a", value_name = "FILE")]
    file: Option<PathBuf>,
    /// The baseline's URL
    #[arg(long, value_name = "URL", requires = "b", conflicts_with = "file")]
    a: Option<String>,
    /// The candidate's URL
    #[arg(long, value_name = "URL", requires = "a")]
    b: Option<String>,
    /// Measure nothing: put back what a killed run left switched
    #[arg(long, requires = "file", conflicts_with = "a")]
    restore: bool,
    /// Measure nothing: read the file and list its arms
    #[arg(long, requires = "file", conflicts_with_all = ["a", "restore"])]
    check: bool,

    /// Requests per second [default with --a: back to back]
    #[arg(short, long, alias = "rps", value_name = "RATE", value_parser = rate_of, help_heading = "How much")]
    rate: Option<f64>,
    /// How many requests run at once, back to back [default with --a: 1, or one from each host]
    #[arg(short, long, alias = "vus", value_name = "N", value_parser = concurrency, conflicts_with = "rate", help_heading = "How much")]
    concurrency: Option<usize>,
    /// How many requests each arm gets
    #[arg(short = 'n', long, alias = "iterations", value_name = "N", value_parser = some, conflicts_with = "time", help_heading = "How much")]
    requests: Option<u64>,
    /// How long in total, with warm-ups and restarts; at least six blocks are measured, however short the time. The
    /// start and --check show how long it will take [default with --a: 2min]
    #[arg(short, long, alias = "duration", value_name = "TIME", value_parser = some_time, help_heading = "How much")]
    time: Option<Duration>,
    /// Stop when the change of the first quantile is known this precisely, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "How much")]
    until: Option<f64>,
    /// Exit with code 8 if this condition certainly holds: 'p95 > +5%' for a change, 'p95 > 5ms' for the figure itself;
    /// may be repeated
    #[arg(long, value_name = "CONDITION", help_heading = "How much")]
    fail_on: Vec<Condition>,
    /// Fail also if it is undecided whether a condition of --fail-on is met
    #[arg(long, requires = "fail_on", help_heading = "How much")]
    strict: bool,
    /// Which part of the answers should change: size, status, body, cache, or the name of a header; if it does not
    /// change, the report says so first. May be repeated
    #[arg(long, value_name = "PART", help_heading = "What to expect")]
    expect_change: Vec<AnswerPart>,
    /// Compare only latencies: read no counters
    #[arg(long, help_heading = "How much")]
    no_weights: bool,
    /// Afterwards profile each arm, and write the differences
    #[arg(long, help_heading = "How much")]
    profile: bool,
    /// With --profile: the folder for its files
    #[arg(
        long,
        value_name = "DIR",
        default_value = "unladen-profile",
        requires = "profile",
        help_heading = "What to show"
    )]
    output_dir: PathBuf,
    /// Repeat the order of the arms of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How much")]
    seed: Option<u64>,

    /// A host to send from: a command that runs a program there and passes its stdin and stdout, such as 'ssh gen1', or
    /// with a name for it, gen1='ssh root@10.0.0.9'; may be repeated. Knobs and counters remain those of this machine
    #[arg(long, value_name = "[NAME=]COMMAND", help_heading = "Where from")]
    from: Vec<String>,
    /// Do not copy a program to a host where unladen is not installed
    #[arg(long, help_heading = "Where from")]
    no_copy: bool,
    /// The program to copy there: one from `make agent`, or one for another processor
    #[arg(long, value_name = "FILE", conflicts_with = "no_copy", help_heading = "Where from")]
    agent: Option<PathBuf>,

    #[command(flatten)]
    sending: Sending,

    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    if let (true, Some(file)) = (args.restore, &args.file) {
        return restore(file);
    }
    let showing = args.showing.clone();
    showing.check(false)?;
    let (is_check, is_strict) = (args.check, args.strict);
    let keep = args.keep.clone();
    let options = args.resolve()?;
    let counts = options.group_by.is_some();
    if is_check {
        return output::line(&arms(&options.experiment, counts)).map_err(Failure::from);
    }
    let keeper = keep.keeper(typed, options.quiet)?;
    if !options.quiet {
        let arms = options.experiment.arms().len();
        let until = match (options.until, options.is_budget_firm) {
            (None, _) => "",
            (Some(_), true) => ", or less, once --until is reached",
            (Some(_), false) => ", or up to 30 min, until --until is reached",
        };
        say!("unladen: {arms} arms in turns, {}{until}", prove::estimate(&options.experiment, arms, counts));
    }
    let cancel = interrupt::on_signal_while_switched()?;
    let Proved { mut result, failure, put_back } = prove::prove(&options, &cancel)?;
    if is_strict {
        Gate::be_strict(&mut result.gates);
    }
    result.about.complete(keeper.origin.about());
    let written = showing.show_and_keep(Report::Prove(&result), &keeper, || None);
    if let (Err(error), true) = (&written, failure.is_some() || !put_back.is_complete()) {
        // Another failure decides the exit code.
        say!("unladen: {error}");
    }
    if !put_back.is_complete() {
        return Err(Failure::NotPutBack { report: put_back.to_string(), before: failure.map(Box::new) });
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    written?;
    if result.ended == Ended::Interrupted.into_str() {
        return Err(Failure::Interrupted { shown: true });
    }
    if !result.comparisons.iter().any(|comparison| comparison.kind() == Metric::Latency) {
        return Err(Failure::NothingCompared);
    }
    if let Some(gate) = result.gates.iter().find(|gate| gate.broken) {
        return Err(Failure::Gate(format!("{} in the arm `{}`: {}", gate.condition, gate.arm, gate.found)));
    }
    // A gate that was not judged is not open: a misspelt metric, or one with too few requests, is no pass.
    let is_judged = |condition: &&Condition| result.gates.iter().any(|gate| gate.condition == condition.to_string());
    match options.fail_on.iter().find(|condition| !is_judged(condition)) {
        Some(condition) => Err(Failure::Gate(format!(
            "`{condition}` could not be judged: no figure `{}` was compared; the warnings and --json list those that \
             were",
            condition.metric
        ))),
        None => failed(&result.arms, &options.fail_on),
    }
}

/// As for a load: figures that lack some requests are shown, but are no success.
fn failed(arms: &[Arm], conditions: &[Condition]) -> Result<(), Failure> {
    if conditions.iter().any(|condition| condition.metric == "errors") {
        return Ok(());
    }
    let Some((arm, failed)) = prove::failed_requests(arms) else { return Ok(()) };
    let planned = arms.iter().map(|arm| arm.requests + arm.errors).sum();
    let of = format!(", some of them of the arm `{}`,", arm.name);
    Err(Failure::SomeFailed { failed, planned, statuses: statuses_text(&arm.statuses), of })
}

/// The default options of `unladen profile`, for each arm.
fn profiling(seed: u64, quiet: bool) -> crate::profile::Options {
    crate::profile::Options {
        which: None,
        period: Duration::from_millis(1),
        of_cpu: false,
        fresh: false,
        budget: crate::profile::Budget::Requests(PROFILED),
        seed,
        quiet,
    }
}

fn restore(file: &Path) -> Result<(), Failure> {
    let report = unladen_prove::restore(file)?;
    if report.is_complete() {
        return output::line(&report.to_string()).map_err(Failure::from);
    }
    Err(Failure::NotPutBack { report: report.to_string(), before: None })
}

fn arms(experiment: &Experiment, counts: bool) -> String {
    let name = |arm: &unladen_lockin::Arm| format!("  {}\n", arm.name);
    let arms = experiment.arms();
    let list: String = arms.iter().map(name).collect();
    let time = prove::estimate(experiment, arms.len(), counts);
    let is_systemd_needed =
        experiment.services.iter().any(|service| service.restart.command().starts_with("systemctl "));
    let warning = match is_systemd_needed && !Path::new("/run/systemd/system").is_dir() {
        true => "\nwarning: systemd does not run here: give each [[service]] the command that restarts it, `restart`",
        false => "",
    };
    format!("{}: {} design, {} arms\n{list}{time}{warning}", experiment.title, experiment.design.into_str(), arms.len())
}

impl Args {
    fn resolve(self) -> Result<Options, Failure> {
        let mut experiment = match (&self.file, &self.a, &self.b) {
            (Some(_), ..) if self.sending.is_given() => {
                let said = "an experiment's file says what is sent, and how: set it in [load] there";
                return Err(Failure::Usage(said.into()));
            }
            (Some(file), ..) if !file.exists() => {
                return Err(Failure::Usage(format!(
                    "{}: no such file; FILE describes an experiment. Two URLs are compared by --a URL --b URL, and the \
                     fix of a finding is proved by `unladen fix N`",
                    file.display()
                )));
            }
            (Some(file), ..) => Experiment::read(file)?,
            (None, Some(a), Some(b)) => self.of_urls(a, b)?,
            _ => return Err(Failure::Usage("expected a file, or --a and --b".into())),
        };
        self.override_load(&mut experiment.load)?;
        let hosts = self.hosts(&mut experiment.load)?;
        experiment.expect_change.extend(self.expect_change.iter().cloned());
        self.check_conditions(&experiment)?;
        let seed = self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
        let profiles = self
            .profile
            .then(|| Profiles { folder: self.output_dir.clone(), options: profiling(seed, self.showing.quiet) });
        if let Some(profiles) = &profiles {
            output::check_folder(&profiles.folder)?;
        }
        Ok(Options {
            experiment,
            until: self.until,
            is_budget_firm: self.time.is_some() || self.requests.is_some(),
            fail_on: self.fail_on,
            group_by: (!self.no_weights).then_some(GroupBy::Auto),
            seed,
            profiles,
            hosts,
            sessions: SessionOptions { copy: !self.no_copy, agent: self.agent, ..SessionOptions::default() },
            quiet: self.showing.quiet,
        })
    }

    /// Refuses, before anything runs, conditions that the results will have no figure for.
    fn check_conditions(&self, experiment: &Experiment) -> Result<(), Failure> {
        for condition in &self.fail_on {
            let missing = match condition.metric.as_str() {
                metric if metric.starts_with("cold.") && experiment.cold.is_none() => {
                    "the experiment measures no cold requests: give it a `cold` command"
                }
                metric if metric.starts_with("weight.") && self.no_weights => "--no-weights reads no counters",
                _ => continue,
            };
            return Err(Failure::Usage(format!("--fail-on '{condition}': {missing}")));
        }
        Ok(())
    }

    /// The command line wins over the file.
    fn override_load(&self, load: &mut Load) -> Result<(), Failure> {
        if let Some(rate) = self.rate {
            load.pace = Pace::Open { rate, arrivals: Arrivals::Constant };
        }
        if let Some(concurrency) = self.concurrency {
            load.pace = Pace::Closed { concurrency };
        }
        if let Some(requests) = self.requests {
            load.budget = Budget::Requests(requests);
        }
        if let Some(time) = self.time {
            load.budget = Budget::Time(time);
        }
        Ok(())
    }

    fn hosts(&self, load: &mut Load) -> Result<Vec<Host>, Failure> {
        let is_typed = !self.from.is_empty();
        let (from, said) = if is_typed { (&self.from, "--from") } else { (&load.from, "[load] from") };
        let hosts = sending_hosts(from, said)?;
        if hosts.is_empty() {
            if self.no_copy || self.agent.is_some() {
                let of = if self.no_copy { "--no-copy" } else { "--agent" };
                return Err(Failure::Usage(format!("{of} applies to hosts that send: name some with --from")));
            }
            return Ok(hosts);
        }
        if is_typed {
            load.from.clone_from(&self.from);
        }
        // By default back to back, one request at a time from each host.
        if let (Pace::Closed { concurrency }, true, None) = (&mut load.pace, self.file.is_none(), self.concurrency) {
            *concurrency = hosts.len();
        }
        if let Pace::Closed { concurrency } = load.pace {
            check_concurrency(concurrency, hosts.len())?;
        }
        Ok(hosts)
    }

    fn of_urls(&self, a: &str, b: &str) -> Result<Experiment, Failure> {
        const TIME: Duration = Duration::from_secs(120);
        let url = |text: &str| -> Result<_, Failure> { Ok(Request::get(text)?.build()?.url().clone()) };
        let mut load = Load::new(Pace::Closed { concurrency: 1 }, Budget::Time(TIME));
        self.sending.fill(&mut load)?;
        Ok(Experiment::of_urls(url(a)?, url(b)?, load))
    }
}

//! `unladen weigh`: the command line, and what it resolves to.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use unladen_agent::{Host, SessionOptions};
use unladen_document::Gate;
use unladen_load::{DriverConfig, rate_of, time_of};
use unladen_probe::GroupBy;
use unladen_report::{Ended, Inside, Report};
use unladen_trace::Recording;

use crate::cmd::fail_on::FailOn;
use crate::cmd::keeping::KeepArgs;
use crate::cmd::rules;
use crate::cmd::sending::Sending;
use crate::cmd::showing::Showing;
use crate::cmd::values::{concurrency, percent, seed, some, some_time};
use crate::exit::Failure;
use crate::output;
use crate::runs::Origin;
use crate::say::say;
use crate::weigh::{Budget, Experiments, ExporterError, Options, Outcome, Restart, WeightGate};
use crate::{interrupt, weigh};

/// The rule for the first request of a fresh process.
pub(super) const COLD_START: &str = "cold-start";

/// Measure what one request costs, by subsystem, on a live server, and find its waste
///
/// Requests run in some phases and pause in others, in random order; counters that rise and fall in step with them show
/// what they cost. Nothing has to be configured. Other load on the server is fine: it widens the intervals.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    unladen weigh http://127.0.0.1:8080/index.php/Main_Page\n  \
    sudo unladen weigh --until 2% -H 'Cookie: session=…' https://wiki.example/\n  \
    sudo unladen weigh --host db='ssh db1' --host cache='ssh -J bastion c1' http://shop.example/\n  \
    unladen weigh --urls pages.txt --json > weights.json")]
pub(super) struct Args {
    /// The URL to weigh; several are weighed in one interleaved run, so that they can be compared
    #[arg(required_unless_present_any = ["urls", "replay"], value_name = "URL")]
    url: Vec<String>,
    /// A file of URLs: `[WEIGHT] [METHOD] URL [label]`, one per line
    #[arg(short = 'f', long, value_name = "FILE")]
    urls: Option<PathBuf>,

    /// How long to measure, such as 30s or 2min [default: 30s; with --until at most 5min]
    #[arg(short, long, alias = "duration", value_name = "TIME", value_parser = some_time, help_heading = "How long")]
    time: Option<Duration>,
    /// How many requests to measure, of each URL; rounded up to whole blocks
    #[arg(short = 'n', long, alias = "iterations", value_name = "N", value_parser = some, conflicts_with = "time", help_heading = "How long")]
    requests: Option<u64>,
    /// Stop when the interval of the largest CPU weight is this narrow, such as 2%
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "How long")]
    until: Option<f64>,

    /// How many requests run at once
    #[arg(short, long, alias = "vus", value_name = "N", value_parser = concurrency, default_value = "1", help_heading = "How to send")]
    concurrency: usize,
    /// Requests per second while requests run, instead of back to back
    #[arg(short, long, alias = "rps", value_name = "RATE", value_parser = rate_of, help_heading = "How to send")]
    rate: Option<f64>,
    #[command(flatten)]
    sending: Sending,

    /// Another host whose counters are also read, and the command that reaches it, such as db='ssh db1'; may be
    /// repeated
    #[arg(long = "host", value_name = "NAME='COMMAND'", help_heading = "Other hosts")]
    hosts: Vec<Host>,
    /// An exporter whose counters are also read, such as db=http://db1:9100/metrics; may be repeated
    #[arg(long = "exporter", value_name = "NAME=URL", help_heading = "Other hosts")]
    exporters: Vec<String>,
    /// Do not copy a program to a host where unladen is not installed
    #[arg(long, requires = "hosts", help_heading = "Other hosts")]
    no_copy: bool,
    /// The program to copy there: one from `make agent`, or one for another processor
    #[arg(long, value_name = "FILE", requires = "hosts", conflicts_with = "no_copy", help_heading = "Other hosts")]
    agent: Option<PathBuf>,

    /// How processes are grouped
    #[arg(long, value_name = "HOW", value_enum, default_value_t = By::Auto, help_heading = "How to measure")]
    group_by: By,
    /// Mean length of a phase [default: 500ms, or longer if the page or this machine needs it]
    #[arg(long, value_name = "TIME", value_parser = time_of, help_heading = "How to measure")]
    phase: Option<Duration>,
    /// The part of a phase kept for work done after the last answer [default: 100ms, or longer if other hosts need it]
    #[arg(long, value_name = "TIME", value_parser = time_of, help_heading = "How to measure")]
    settle: Option<Duration>,
    /// Repeat the plan of phases of an earlier run
    #[arg(long, value_name = "N", value_parser = seed, help_heading = "How to measure")]
    seed: Option<u64>,

    /// Weigh only: do not look for waste
    #[arg(long, conflicts_with_all = ["record", "restart"], help_heading = "What to look for")]
    no_findings: bool,
    /// A command that restarts the server process, so that the first request of a fresh process is also examined
    #[arg(long, value_name = "COMMAND", help_heading = "What to look for")]
    restart: Option<String>,
    /// Exit with code 8 if a request costs or does more than this ('cpu > 40ms', 'cpu www-data php-fpm8.2 > 30ms',
    /// 'files.checked > 100'), or if a rule (or `any`) finds something or could not be checked; may be repeated
    #[arg(long, value_name = "CONDITION", value_parser = rules::or_any(false), hide_possible_values = true, help_heading = "What to look for")]
    fail_on: Vec<String>,
    /// Fail also if it is undecided whether a condition of --fail-on is met
    #[arg(long, requires = "fail_on", help_heading = "What to look for")]
    strict: bool,
    /// Write everything that was traced to this file
    #[arg(long, value_name = "FILE", help_heading = "What to look for")]
    record: Option<PathBuf>,
    /// Write a file for `unladen prove` into this folder for each finding whose fix can be switched on and off
    #[arg(long, value_name = "DIR", conflicts_with = "no_findings", help_heading = "What to look for")]
    experiments: Option<PathBuf>,
    /// Look for waste in the file of an earlier run's --record, and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "urls", "record", "restart", "no_findings", "experiments"], help_heading = "What to look for")]
    replay: Option<PathBuf>,

    #[command(flatten)]
    showing: Showing,
    #[command(flatten)]
    keep: KeepArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Systemd unit or container, else user and executable
    Auto,
    /// Control group
    Cgroup,
    /// User and executable
    Exe,
    /// User
    User,
    /// Each process
    Pid,
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    let showing = args.showing.clone();
    let (weights, gate) = args.gates()?;
    let is_strict = args.strict;
    if let Some(file) = &args.replay {
        showing.check(false)?;
        let recording = Recording::read(file)?;
        let mut pages: Vec<Inside> = recording.pages.iter().map(|page| weigh::inside(page).inside).collect();
        pages.iter_mut().for_each(|page| page.gates = gate.gates(page));
        showing.show(Report::Inside(&pages, &Origin::of_file(typed).about()))?;
        return gate.judge(Vec::new(), &pages);
    }
    let record = args.record.clone();
    let keep = args.keep.clone();
    let experiments = args.experiments.clone();
    let options = args.resolve()?;
    showing.check(false)?;
    record.iter().try_for_each(|file| output::check(file))?;
    let experiments = experiments.map(|folder| Experiments::new(&folder, &options)).transpose()?;
    let mut keeper = keep.keeper(typed, showing.quiet)?;
    let cancel = interrupt::on_signal()?;
    let Outcome { mut result, pages, found, failure, executables } = weigh::weigh(options, &cancel)?;
    keeper.origin.saw(&executables);
    let insides = result.pages.iter_mut().filter_map(|page| page.inside.as_mut());
    insides.for_each(|page| page.gates = gate.gates(page));
    result.run.gates = weights.iter().flat_map(|gate| gate.judge(&result)).collect();
    if is_strict {
        Gate::be_strict(&mut result.run.gates);
    }
    result.run.about.complete(keeper.origin.about());

    let recording = (!pages.is_empty()).then(|| Recording::new(pages));
    let mut written = showing.show_and_keep(Report::Weigh(&result), &keeper, || evidence(recording.as_ref()?));
    if let (Some(file), Some(recording)) = (&record, &recording) {
        written = written.and(output::whole_file(file, |out| recording.write(out)).map_err(Failure::from));
    }
    if let Some(experiments) = &experiments {
        written = written.and(experiments.write(&found).map_err(Failure::from));
    }
    ended(failure, written, &result.run.ended)?;
    let broken = result.run.gates.iter().filter(|gate| gate.broken);
    let broken = broken.map(|gate| format!("{}: {}: {}", gate.url, gate.condition, gate.found));
    gate.judge(broken.collect(), result.pages.iter().filter_map(|page| page.inside.as_ref()))
}

/// As `--record` writes it.
fn evidence(recording: &Recording) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    recording.write(&mut text).ok()?;
    Some(text)
}

/// The exit code except for the gate: `docs/reference/exit-codes.md` has the order.
fn ended(failure: Option<Failure>, written: Result<(), Failure>, ended: &str) -> Result<(), Failure> {
    match (failure, written) {
        (Some(failure), written) => {
            if let Err(error) = written {
                say!("unladen: {error}");
            }
            Err(failure)
        }
        (None, Err(error)) => Err(error),
        (None, Ok(())) if ended == Ended::Interrupted.into_str() => Err(Failure::Interrupted { shown: true }),
        (None, Ok(())) => Ok(()),
    }
}

impl Args {
    /// Conditions on weights and counts, and rules.
    fn gates(&self) -> Result<(Vec<WeightGate>, FailOn), Failure> {
        let (mut weights, mut rules) = (Vec::new(), Vec::new());
        for condition in &self.fail_on {
            match WeightGate::read(condition).map_err(Failure::Usage)? {
                Some(gate) => weights.push(gate),
                None => rules.push(condition.clone()),
            }
        }
        let wrong = |why: String| Err(Failure::Usage(why));
        // A gate that never sees its evidence would always be open; a recorded run may have had a restart.
        match rules.iter().find(|name| *name == COLD_START) {
            Some(name) if self.restart.is_none() && self.replay.is_none() => {
                let takes = "give the command that restarts it, --restart";
                return wrong(format!("--fail-on {name} looks at a fresh process: {takes}"));
            }
            _ => {}
        }
        if self.replay.is_some() && !weights.is_empty() {
            return wrong(format!("--fail-on '{}': nothing is weighed with --replay", weights[0]));
        }
        let of_findings = weights.iter().find(|gate| gate.is_counted()).map(ToString::to_string);
        match of_findings.or_else(|| rules.first().cloned()).filter(|_| self.no_findings) {
            Some(one) => wrong(format!("--fail-on '{one}' needs what is traced, and --no-findings traces nothing")),
            None => Ok((weights, FailOn::of(&rules, false)?)),
        }
    }

    fn resolve(self) -> Result<Options, Failure> {
        let requests = self.sending.requests(&self.url, self.urls.as_deref())?;
        let budget = Budget { time: self.time, requests: self.requests, until: self.until };
        let driver = DriverConfig {
            concurrency: self.concurrency,
            rate: self.rate,
            ..self.sending.driver(requests.into_iter().map(|weighted| weighted.request).collect())?
        };
        Ok(Options {
            driver,
            budget,
            hosts: self.hosts,
            session: SessionOptions { copy: !self.no_copy, agent: self.agent, ..SessionOptions::default() },
            // Not parsed by clap, whose error would show a password.
            exporters: self.exporters.iter().map(|exporter| exporter.parse()).collect::<Result<_, ExporterError>>()?,
            phase: self.phase,
            settle: self.settle,
            group_by: match self.group_by {
                By::Auto => GroupBy::Auto,
                By::Cgroup => GroupBy::Cgroup,
                By::Exe => GroupBy::Exe,
                By::User => GroupBy::User,
                By::Pid => GroupBy::Pid,
            },
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
            inside: !self.no_findings,
            restart: self.restart.map(|command| Restart { command }),
            quiet: self.showing.quiet,
        })
    }
}

#[cfg(test)]
mod tests;

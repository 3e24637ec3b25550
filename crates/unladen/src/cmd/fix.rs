//! `unladen fix`: applies the fix of a finding, proves it, and keeps it or puts it back.

mod files;
mod list;
mod undo;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};
use unladen_agent::{Host, SessionOptions};
use unladen_document::ProveDocument;
use unladen_load::{Cancel, Header};
use unladen_probe::GroupBy;
use unladen_prove::{Budget, Check, Experiment, KnobController};
use unladen_publish::visible_lines;
use unladen_report::Report;

use crate::cmd::keeping::KeepArgs;
use crate::cmd::values::some_time;
use crate::condition::Condition;
use crate::exit::Failure;
use crate::fix::{Applied, FixFolder, Outcome, Remedy, State, outcome};
use crate::prove::{Options, Proved};
use crate::runs::{RunName, now, rfc3339};
use crate::say::say;
use crate::terminal;
use crate::{interrupt, output, prove};
use files::write_files;
use list::{list, remedies};
use undo::undo;

/// Milliseconds between two looks whether a signal came while the user is asked.
const LOOK: u16 = 200;
/// Latency of a page that was not weighed.
const USUAL: Duration = Duration::from_millis(100);

/// Apply the fix of a finding, prove it, and keep it or put it back
///
/// The findings are those of the last `unladen weigh`. What would change is shown first, and applied if you agree. Then
/// the page is requested in turns, with the fix and without it: the fix stays if it makes the page cheaper and nothing
/// dearer, and the page is the same. Everything is put back otherwise, on failure and Ctrl-C too; `unladen fix undo`
/// puts it back at any later time.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        unladen fix                    # the findings of the last run, and what is applied\n  \
        sudo unladen fix 1 --dry-run   # what the fix of the first one would change\n  \
        sudo unladen fix 1\n  \
        sudo unladen fix 1 --yes --keep-if 'p50 < -2%'\n  \
        sudo unladen fix undo 1\n  \
        unladen fix 2 --files image/   # for a container: the files, and where they belong\n\n\
        docs/reference/fix.md, in share/doc/unladen or the source, describes each step."
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Number of the finding, as `unladen weigh` shows it; without it, all are listed
    #[arg(value_name = "N", value_parser = number)]
    number: Option<usize>,
    /// List the findings of the run, and all fixes that were applied
    #[arg(long)]
    list: bool,
    /// The run of `unladen weigh`: its number, latest, a label such as release=1.43, or commit:4f2a
    #[arg(long, value_name = "RUN", default_value = "latest")]
    run: RunName,
    /// Show what would change, and change nothing
    #[arg(long, requires = "number")]
    dry_run: bool,
    /// Change nothing here: write the files of the fix into a folder, and say where they belong, for a container's image
    /// or another host
    #[arg(long, value_name = "DIR", requires = "number", conflicts_with_all = ["dry_run", "yes", "keep_if", "prove"])]
    files: Option<PathBuf>,
    /// Do not ask; a proof that does not decide puts the fix back
    #[arg(short, long, requires = "number")]
    yes: bool,
    /// Keep the fix if this is certain, such as 'p50 < -2%', and put it back otherwise
    #[arg(long, value_name = "CONDITION", requires = "number")]
    keep_if: Option<Condition>,
    /// How long the proof takes [default: as the experiment of the finding says]
    #[arg(long, value_name = "TIME", value_parser = some_time, requires = "number")]
    prove: Option<Duration>,
    /// A header that the weighed request carried and the run does not hold, `Name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", requires = "number")]
    header: Vec<Header>,
    /// The host that the finding is of, and the command that reaches it, such as db='ssh db1'; may be repeated
    #[arg(long = "host", value_name = "NAME='COMMAND'", requires = "number")]
    hosts: Vec<Host>,
    /// Write JSON: the list, or the record of the fix
    #[arg(long)]
    json: bool,
    /// Show no progress line
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    keep: KeepArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Put everything back that a fix changed, except for what others have changed since
    Undo {
        /// The fix, by its name in the list, such as 12-3; or the number of its finding, if it is the last of that number
        #[arg(value_name = "FIX")]
        fix: String,
    },
}

fn number(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "expected the number of a finding, as `unladen weigh` and `unladen fix` show it".to_owned())
}

pub(super) fn run(args: Args, typed: &[String]) -> Result<(), Failure> {
    match (&args.command, args.number) {
        (Some(Command::Undo { fix }), _) => undo(fix),
        (None, Some(number)) if !args.list => apply(&args, number, typed),
        _ => list(&args.run, args.json),
    }
}

fn apply(args: &Args, number: usize, typed: &[String]) -> Result<(), Failure> {
    let (remedies, run) = remedies(&args.run)?;
    let count = remedies.len();
    let remedy = remedies
        .into_iter()
        .find(|remedy| remedy.number == number)
        .ok_or_else(|| Failure::Usage(format!("run {} has {count} findings: `unladen fix` lists them", run.id)))?;
    if let Some(folder) = &args.files {
        return write_files(&remedy, folder);
    }
    let remedy = remedy.reached(&args.hosts)?;
    let text = remedy.text()?;
    // Nothing is written before it is agreed to.
    let folder = FixFolder::of(&remedy.name())?;
    let shown = args.filled(&remedy, remedy.experiment(&folder.file())?);
    let changes = changes(&shown);
    args.show(&remedy, text, &changes)?;
    let rest = remedy.by_hand();
    if !rest.is_empty() {
        say!("unladen: not done by this fix, as no experiment switches it; do it too:\n  {}", rest.join("\n  "));
    }
    say!("unladen: {}", how_long(&remedy, &shown));
    if args.dry_run {
        return Ok(());
    }
    folder.is_free(text)?;
    if !args.yes && !is_agreed("Apply this, and prove it?", None)? {
        say!("unladen: nothing was changed");
        return Ok(());
    }
    let keeper = args.keep.clone().keeper(typed, args.quiet)?;
    let experiment = args.filled(&remedy, remedy.experiment(&folder.prepare(text)?)?);
    let mut record = Applied::new(&remedy, changes);
    folder.write(&record)?;
    let options = args.options(experiment);
    let cancel = interrupt::on_signal_while_switched()?;
    let Proved { mut result, failure, put_back } = prove::prove(&options, &cancel)?;
    if !put_back.is_complete() {
        return Err(Failure::NotPutBack { report: put_back.to_string(), before: failure.map(Box::new) });
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if cancel.is_cancelled() {
        return Err(Failure::Interrupted { shown: false });
    }
    // The command that leads to a host may hold a secret: it is kept with the fix alone, which nobody else may read.
    for line in &mut result.put_back {
        *line = args.hosts.iter().fold(std::mem::take(line), |line, host| line.replace(&host.command, &host.name));
    }
    result.about.complete(keeper.origin.about());
    let run = keeper.keep(&Report::Prove(&result).document(), || None)?;
    record.proof_run = run.map(|run| run.to_string());
    let decision = args.decision(&result)?;
    let (is_kept, why) = match decision {
        Outcome::Keep(why) => (true, why),
        Outcome::PutBack(why) => (false, why),
        Outcome::Ask(why) => {
            say!("unladen: the proof does not decide: {why}");
            (!args.yes && is_agreed("Keep it?", Some(&cancel))?, why)
        }
    };
    record.proof.clone_from(&why);
    record.time = rfc3339(now());
    if is_kept {
        keep(&options.experiment, &cancel)?;
        record.state = State::Applied;
    }
    folder.write(&record)?;
    if args.json {
        output::line(&Applied::document(&[&record]))?;
    } else {
        // What the proof put back is of no interest once the fix is kept.
        let shown = ProveDocument { put_back: Vec::new(), ..result };
        output::everywhere(Report::Prove(&shown), false, &[], terminal::style())?;
        output::line(&format!("\n{}", said(&record, &remedy)))?;
    }
    if is_kept { Ok(()) } else { Err(Failure::Gate(format!("put back: {why}"))) }
}

/// What the proof will take and can tell, and what visitors may notice of it, before it begins.
fn how_long(remedy: &Remedy, experiment: &Experiment) -> String {
    let latency = remedy.planned.map_or(USUAL, |planned| planned.median());
    let (time, restarts) = prove::expected(experiment, latency);
    let mut text = match (remedy.planned, experiment.load.budget) {
        (Some(planned), Budget::Requests(requests)) => planned.told(requests, time),
        _ => prove::estimate(experiment, experiment.arms().len(), true),
    };
    if restarts > 0 {
        text += &format!(
            ". Its service restarts or reloads some {restarts} times meanwhile: visitors' requests that are under way \
             then may fail"
        );
        if experiment.services.iter().any(|service| service.name == "php") {
            text += " (PHP-FPM lets them end if process_control_timeout is set)";
        }
    }
    text
}

fn said(record: &Applied, remedy: &Remedy) -> String {
    let mut text = String::new();
    match record.state {
        State::Applied => {
            text += &format!("It is kept; `unladen fix undo {}` takes it off.", record.name);
            let rest = remedy.by_hand();
            if !rest.is_empty() {
                text += &format!("\nNot done, as no experiment switches it:\n  {}", rest.join("\n  "));
            }
        }
        State::PutBack | State::Undone => text += &format!("Everything is put back: {}.", record.proof),
    }
    if let Some(run) = &record.proof_run {
        text += &format!("\nAll figures: unladen runs show {run} --details");
    }
    text
}

/// Diffs of files, commands, and services: all that the experiment runs, as it may come from elsewhere.
fn changes(experiment: &Experiment) -> Vec<String> {
    let sides = |on: bool| {
        let changes = experiment.knobs.iter().flat_map(|knob| &knob.changes);
        changes.flat_map(move |change| change.preview(on)).collect::<Vec<_>>()
    };
    let command = |text: &String| format!("$ {text}");
    let (mut changes, back) = (sides(true), sides(false));
    changes.extend(experiment.services.iter().map(|service| format!("$ {}", service.restart.command())));
    let ready = experiment.services.iter().filter_map(|service| service.ready.as_ref());
    let ready = ready.chain(experiment.knobs.iter().filter_map(|knob| knob.ready.as_ref()));
    changes.extend(ready.filter_map(|ready| match &ready.check {
        Check::Command(text) => Some(command(text)),
        _ => None,
    }));
    changes.extend(experiment.cold.iter().map(|cold| command(&cold.command)));
    changes.extend(experiment.load.from.iter().map(command));
    if !back.is_empty() {
        changes.push("and back:".to_owned());
        changes.extend(back);
    }
    changes
}

/// Asks on the terminal. A signal that only cancels, as everything is put back by then, is a no.
fn is_agreed(question: &str, cancel: Option<&Cancel>) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Failure::Usage(
            "nobody can be asked, as standard input is no terminal: --yes agrees, --dry-run shows what would change"
                .into(),
        ));
    }
    let _ = write!(std::io::stderr(), "{question} [y/N] ");
    while let Some(cancel) = cancel {
        let mut answered = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        if poll(&mut answered, LOOK).is_ok_and(|ready| ready > 0) {
            break;
        }
        if cancel.is_cancelled() {
            return Ok(false);
        }
    }
    let mut answer = String::new();
    let _ = stdin.lock().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Switches it on for good. Whatever fails, everything is put back.
fn keep(experiment: &Experiment, cancel: &Cancel) -> Result<(), Failure> {
    let arms = experiment.arms();
    let on = arms.iter().find(|arm| arm.on.iter().all(|on| *on)).ok_or(Failure::NothingCompared)?;
    let mut board = KnobController::open(experiment)?;
    if let Err(error) = board.set(on, cancel) {
        let put_back = board.put_back();
        let failure = Failure::from(error);
        return Err(match put_back.is_complete() {
            true => failure,
            false => Failure::NotPutBack { report: put_back.to_string(), before: Some(Box::new(failure)) },
        });
    }
    board.keep();
    Ok(())
}

impl Args {
    /// On standard error beside JSON.
    fn show(&self, remedy: &Remedy, text: &str, changes: &[String]) -> Result<(), Failure> {
        let finding = &remedy.finding;
        let mut lines = vec![
            format!("{}: {}", finding.rule, finding.summary),
            format!("fix: {}", finding.fix.advice),
            String::new(),
        ];
        lines.extend(changes.iter().map(|line| format!("  {line}")));
        // What the run does not hold of the request: headers that may be secrets.
        let missing = text.lines().filter_map(|line| line.strip_prefix("# ")).filter(|_| self.header.is_empty());
        lines.extend(missing.map(|line| format!("\nnote: {line}; -H gives a header")));
        let text = visible_lines(&lines.join("\n"));
        if self.json {
            say!("{text}");
            return Ok(());
        }
        Ok(output::line(&text)?)
    }

    /// With what the run does not hold, and as long as the page needs.
    fn filled(&self, remedy: &Remedy, mut experiment: Experiment) -> Experiment {
        experiment.load.headers.extend(self.header.iter().cloned());
        let planned = remedy.planned.map(|planned| Budget::Requests(planned.requests()));
        experiment.load.budget = match (self.prove, experiment.load.budget) {
            (Some(time), _) => Budget::Time(time),
            (None, Budget::Requests(_)) => planned.unwrap_or(experiment.load.budget),
            (None, time) => time,
        };
        experiment
    }

    fn options(&self, experiment: Experiment) -> Options {
        Options {
            experiment,
            until: None,
            is_budget_firm: self.prove.is_some(),
            fail_on: self.keep_if.iter().cloned().collect(),
            group_by: Some(GroupBy::Auto),
            seed: fastrand::u64(..1 << 32),
            profiles: None,
            hosts: Vec::new(),
            sessions: SessionOptions::default(),
            quiet: self.quiet,
        }
    }

    /// What the user's condition says, or else the proof.
    fn decision(&self, proof: &ProveDocument) -> Result<Outcome, Failure> {
        let found = outcome(proof)?;
        let Some(condition) = &self.keep_if else { return Ok(found) };
        if let Outcome::PutBack(why) = found {
            return Ok(Outcome::PutBack(why));
        }
        let gate = proof.gates.iter().find(|gate| gate.condition == condition.to_string());
        Ok(match gate {
            Some(gate) if gate.broken => Outcome::Keep(format!("{condition}: {}", gate.found)),
            Some(gate) => Outcome::PutBack(format!("{condition} is not certain: {}", gate.found)),
            None => Outcome::PutBack(format!("{condition} could not be judged")),
        })
    }
}

#[cfg(test)]
mod tests;

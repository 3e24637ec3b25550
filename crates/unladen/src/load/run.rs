//! [`load`]: sends what was asked for, and makes the result.

use std::time::Duration;

use unladen_document::LoadDocument;
use unladen_load::{Cancel, RecordEnd, Schedule};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::capacity::find_capacity;
use crate::load::options::{Options, Pace};
use crate::load::recorder::{Recorder, record_end};
use crate::load::result::{Ran, result, set_unfit};
use crate::load::sender::{Sender, Tried};
use crate::load::stretch::{account, head, is_interrupted, plan};
use crate::load::trial::Sent;
use crate::progress::Progress;

/// Fails if the first requests fail, the client cannot go on, or a file cannot be written.
pub(crate) fn load(options: &Options, cancel: &Cancel) -> Result<LoadDocument, Failure> {
    let progress = Progress::new(options.quiet);
    let mut sender = Sender::start(options, cancel, &progress)?;
    progress.say("trying the requests");
    let Tried { http, answers } = sender.try_requests(options, cancel)?;
    let done = if options.find_capacity {
        find_capacity(options, &mut sender, &http, cancel, &progress)
    } else {
        once(options, &mut sender, &http, cancel, &progress)
    };
    progress.clear();
    let mut result = done?;
    result.answers = answers;
    result.access_log.clone_from(&options.access_log);
    result.warnings.extend(sender.strangers().map(|warning| warning.to_string()));
    Ok(result)
}

fn once(
    options: &Options,
    sender: &mut Sender,
    http: &str,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<LoadDocument, Failure> {
    let head = head(options, &options.pace, http);
    let mut recorder = Recorder::create(&options.files, &head)?;
    let planned = planned(options);
    let mut watch = |account: &Account, elapsed: Duration| {
        let done = match (options.requests, planned) {
            (Some(requests), _) => account.recorded as f64 / requests.max(1) as f64,
            (None, length) => elapsed.as_secs_f64() / length.as_secs_f64().max(1e-9),
        };
        // A closed loop of a number of requests has no planned length.
        let planned = Some(planned).filter(|planned| *planned < Duration::MAX);
        progress.at(done, elapsed, planned, &line(account, elapsed));
    };
    let account = account(options, &options.pace);
    let plan = plan(options, &options.pace, planned);
    let Sent { account, end, machine, agents } = sender.send(plan, account, cancel, Some(&mut recorder), &mut watch)?;
    let end = record_end(&end, &agents, is_interrupted(&end));
    let unrecorded = agents.iter().map(|agent| agent.unrecorded).sum();
    recorder.end(&without(&end, unrecorded), &account.all)?;
    let ran = Ran {
        head: &head,
        mix: &options.mix,
        account: &account,
        end: Some(&end),
        machine: Some(&machine),
        agents: &agents,
        capacity: None,
    };
    Ok(set_unfit(result(ran)))
}

/// The end of a file that lacks the records of `unrecorded` requests.
fn without(end: &RecordEnd, unrecorded: u64) -> RecordEnd {
    RecordEnd { missing: end.missing.saturating_add(unrecorded), ..end.clone() }
}

/// The progress line.
pub(crate) fn line(account: &Account, elapsed: Duration) -> String {
    let slices = account.all.timeline();
    // The last slice is still filling; the one before it is the freshest complete one.
    let fresh = slices.iter().rev().nth(1).or(slices.last());
    let latency = fresh.map_or(String::new(), |slice| {
        let ms = |ns: u64| ns as f64 / 1e6;
        format!("  p50 {:.1} ms, p99 {:.1} ms", ms(slice.p50), ms(slice.p99))
    });
    let errors: u64 = account.errors.values().sum();
    let rate = account.answered as f64 / elapsed.as_secs_f64().max(1e-9);
    // Errors come before the latency, since the line is cut at its end.
    format!("{} answered, {rate:.0}/s, {errors} error{}{latency}", account.answered, if errors == 1 { "" } else { "s" })
}

fn planned(options: &Options) -> Duration {
    match (&options.pace, options.requests) {
        (Pace::Closed, None) => options.time.unwrap_or(Options::TIME),
        (Pace::Closed, Some(_)) => options.time.unwrap_or(Duration::MAX),
        (Pace::Open(schedule), Some(requests)) => {
            let last = usize::try_from(requests.saturating_sub(1)).ok().and_then(|last| schedule.times().nth(last));
            last.unwrap_or_else(|| length(schedule)).min(length(schedule))
        }
        (Pace::Open(schedule), None) => length(schedule),
    }
}

fn length(schedule: &Schedule) -> Duration {
    schedule.steps().iter().map(|step| step.time).fold(Duration::ZERO, Duration::saturating_add)
}

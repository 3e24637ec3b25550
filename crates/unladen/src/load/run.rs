//! [`load`]: sends what was asked for, and makes the result; [`replay`] makes it of a recorded load.

use std::path::Path;
use std::time::Duration;

use unladen_agent::memory_note;
use unladen_document::LoadDocument;
use unladen_load::{Cancel, Mix, RecordEnd, RecordReader, Schedule, Step};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::capacity::find_capacity;
use crate::load::options::{Files, Options, Pace};
use crate::load::recorder::{HdrLog, Recorder, percentiles, record_end};
use crate::load::result::{Ran, result, set_unfit};
use crate::load::sender::{Client, Loading, Sent, Tried, account, head, is_interrupted, plan};
use crate::progress::Progress;
use crate::say::say;

/// Fails if the first requests fail, the client cannot go on, or a file cannot be written.
pub(crate) fn load(options: &Options, cancel: &Cancel) -> Result<LoadDocument, Failure> {
    let progress = Progress::new(options.quiet);
    if !options.hosts.is_empty() {
        // For a load at a rate, most stay far below this bound.
        let each = options.concurrency.div_ceil(options.hosts.len());
        if let (Pace::Closed, false, Some(note)) = (&options.pace, options.quiet, memory_note(each)) {
            say!("unladen: {note}");
        }
        progress.say("starting the agents");
    }
    let mut client = Client::start(&options.hosts, &options.sessions, &options.driver, cancel)?;
    progress.say("trying the requests");
    let Tried { http, answers } = client.try_requests(&options.driver, cancel)?;
    let loading = Loading { options, client: &mut client, http: &http, cancel, progress: &progress };
    let done = if options.find_capacity { find_capacity(loading) } else { once(loading) };
    progress.clear();
    let mut result = done?;
    result.answers = answers;
    result.access_log.clone_from(&options.access_log);
    result.warnings.extend(client.strangers().map(|warning| warning.to_string()));
    Ok(result)
}

fn once(loading: Loading<'_>) -> Result<LoadDocument, Failure> {
    let Loading { options, client, http, cancel, progress } = loading;
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
    let Sent { account, end, machine, agents } = client.send(plan, account, cancel, Some(&mut recorder), &mut watch)?;
    let end = record_end(&end, &agents, is_interrupted(&end));
    let unrecorded: u64 = agents.iter().map(|agent| agent.unrecorded).sum();
    // The files lack the records of these.
    let of_files = RecordEnd { missing: end.missing.saturating_add(unrecorded), ..end.clone() };
    recorder.end(&of_files, &account.all)?;
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

/// Reads a file of records and makes the load's result; writes HdrHistogram's files if asked for. Fails if the file
/// cannot be read or is damaged, or a file cannot be written.
pub(crate) fn replay(file: &Path, buckets: &[Duration], files: &Files) -> Result<LoadDocument, Failure> {
    let mut records = RecordReader::open(file)?;
    let head = records.head().clone();
    // A first reading finds the most frequent requests.
    let counts = if head.requests.len() > 1 { counts(file)? } else { vec![1.0] };
    let steps: Vec<Step> = head
        .steps
        .iter()
        .map(|(from, to, ns)| Step { from: *from, to: *to, time: Duration::from_nanos(*ns) })
        .collect();
    let requests = counts.len().max(head.requests.len().min(MOST_REQUESTS));
    let mix = Mix::weighted(counts.into_iter().enumerate());
    let mut account = Account::new(buckets, &mix, requests, &steps);
    let mut log = files.hdr_log.as_deref().map(HdrLog::create).transpose()?;
    for record in records.by_ref() {
        let record = record?;
        account.record(&record);
        if let Some(log) = &mut log {
            log.record(&record)?;
        }
    }
    log.map_or(Ok(()), HdrLog::end)?;
    if let Some(file) = &files.hdr_percentiles {
        percentiles(file, &account.all)?;
    }
    Ok(set_unfit(result(Ran {
        head: &head,
        mix: &mix,
        account: &account,
        end: records.end(),
        machine: None,
        agents: &[],
        capacity: None,
    })))
}

fn counts(file: &Path) -> Result<Vec<f64>, Failure> {
    let mut counts: Vec<f64> = Vec::new();
    for record in RecordReader::open(file)? {
        let index = record?.request as usize;
        if index < MOST_REQUESTS {
            counts.resize(counts.len().max(index + 1), 0.0);
            counts[index] += 1.0;
        }
    }
    Ok(counts)
}

/// A list of URLs is shorter; a damaged index must not take memory.
const MOST_REQUESTS: usize = 1_000_000;

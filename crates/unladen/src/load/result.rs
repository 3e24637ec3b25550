//! Makes a result from an account: [`result`].

use std::time::Duration;

use unladen_document::{
    About, ByConnection, ByRequest, Capacity, LoadAgent, LoadDocument, Ordered, Pacing, Step, nanos, send_lag,
};
use unladen_load::{Mix, RecordEnd, RecordHead};
use unladen_report::{Ended, Unfit, Warning, bucket_name, program_of};

use crate::latency::{LOAD_QUANTILES, latency};
use crate::lateness::{Generated, unfit};
use crate::load::account::{Account, AgentPart, Part};
use crate::load::machine_log::{MachineLog, Stretches};
use crate::load::slices::Slices;
use crate::machine::{machine, taken_warning};

/// Points of the distribution in a picture.
const POINTS: usize = 500;

pub(crate) struct Ran<'a> {
    pub(crate) head: &'a RecordHead,
    pub(crate) mix: &'a Mix,
    pub(crate) account: &'a Account,
    /// `None` if the file of records breaks off.
    pub(crate) end: Option<&'a RecordEnd>,
    /// `None` for a load that was recorded earlier.
    pub(crate) machine: Option<&'a MachineLog>,
    /// The sending hosts; empty for this one.
    pub(crate) agents: &'a [AgentPart],
    pub(crate) capacity: Option<Capacity>,
}

/// The result, without the reasons why its figures may not be the server's: see [`set_unfit`].
pub(crate) fn result(ran: Ran<'_>) -> (LoadDocument, Vec<Unfit>) {
    let Ran { head, mix, account, end, machine, agents, capacity } = ran;
    let stretches = machine.map(MachineLog::stretches);
    let times = stretches.map(Stretches::times);
    let is_open = !head.steps.is_empty();
    let of_end = |count: fn(&RecordEnd) -> u64| end.map_or(0, count);
    let (unsent, abandoned) = (of_end(|end| end.unsent), of_end(|end| end.abandoned));
    let missing = of_end(|end| end.missing);
    let planned = [unsent, abandoned, missing].into_iter().fold(account.recorded, u64::saturating_add);
    let elapsed = Duration::from_nanos(account.last_done_ns);
    let (latency_ns, latency_intervals_ns) = latency(&account.all.latencies(), &LOAD_QUANTILES);
    let lag = account.lag.at(0.99).filter(|_| is_open);
    let worked = Duration::from_nanos(of_end(|end| end.worked_ns));
    let (errors, error_examples) = errors(account, end);
    let mut result = LoadDocument {
        elapsed_ns: account.last_done_ns,
        planned,
        requests: account.answered,
        throughput: if elapsed.is_zero() { 0.0 } else { account.answered as f64 / elapsed.as_secs_f64() },
        latency_ns,
        latency_intervals_ns,
        cut_short: account.cut_short,
        within: within(account, planned),
        new_connections: by_connection(&account.new),
        reused_connections: by_connection(&account.reused),
        send_lag_ns: lag.map(|p99| send_lag(account.lag.at(0.5).unwrap_or(0), p99, account.lag.max())),
        pacing: end.filter(|_| is_open).map(|end| Pacing { cpu_ns: end.paced_ns }),
        errors,
        error_examples,
        statuses: account.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect(),
        unsent,
        abandoned,
        missing,
        changed: account.changed,
        connections: of_end(|end| end.connections),
        bytes_sent: of_end(|end| end.bytes_sent),
        bytes_received: of_end(|end| end.bytes_received),
        body_bytes: account.body_bytes,
        client_cpu_ns: of_end(|end| end.cpu_ns),
        by_request: by_request(account, mix, &head.requests),
        steps: account.by_step.iter().map(|(step, part)| of_step(step, part)).collect(),
        capacity,
        timeline: account.all.timeline(),
        distribution: distribution(&account.all),
        ..sent(head, end, is_open)
    };
    result.about.machine = times.map(|times| self::machine(&times, None));
    // The sizes of different pages say nothing of one.
    let differ = account.body_sizes.differ() || !result.by_request.is_empty();
    let mut warnings = warnings(&result, account.lag.waited, differ);
    let median = result.latency_ns.get("p50").copied();
    let mut all = Vec::new();
    if agents.is_empty() {
        let because = stretches.and_then(|stretches| stretches.because(&account.lateness));
        let lag = lag.map(|p99| (p99, because));
        all = unfit(Generated { median, lag, worked, sending: elapsed, times: times.as_ref() });
        all.extend(end.iter().flat_map(|end| &end.lost).cloned().map(Unfit::Told));
        warnings.extend(times.and_then(|times| taken_warning(&times, None)));
    } else {
        let judged: Vec<_> = agents.iter().map(|agent| (agent, of_agent(agent, median, elapsed, is_open))).collect();
        result.agents = judged.iter().map(|(agent, unfit)| told(agent, unfit, is_open)).collect();
        let named = |agent: &AgentPart, unfit| Unfit::Agent { name: agent.name.clone(), unfit: Box::new(unfit) };
        for (agent, unfit) in judged {
            all.extend(unfit.into_iter().map(|unfit| named(agent, unfit)));
            all.extend(unrecorded(agent));
            all.extend(lost(agent));
        }
    }
    result.warnings = warnings.iter().map(ToString::to_string).collect();
    (result, all)
}

/// Adds why the figures may not be the server's.
pub(crate) fn set_unfit((mut result, unfit): (LoadDocument, Vec<Unfit>)) -> LoadDocument {
    result.fit = unfit.is_empty();
    result.unfit = unfit.iter().map(ToString::to_string).collect();
    result
}

/// Reasons not to trust an agent's figures, by the rules for this host.
fn of_agent(agent: &AgentPart, median: Option<u64>, elapsed: Duration, is_open: bool) -> Vec<Unfit> {
    let lag = agent.lag.at(0.99).filter(|_| is_open);
    let worked = agent.end.as_ref().map_or(Duration::ZERO, |end| end.worked);
    let because = agent.machine.because(&agent.lateness);
    unfit(Generated {
        median,
        lag: lag.map(|p99| (p99, because)),
        worked,
        sending: elapsed,
        times: Some(&agent.machine.times()),
    })
}

/// The warning for an agent that did not come to its end.
pub(crate) fn lost(agent: &AgentPart) -> Option<Unfit> {
    agent.lost.as_ref().map(|lost| Unfit::Lost {
        name: agent.name.clone(),
        at: Duration::from_nanos(lost.at_ns),
        missing: agent.missing,
        why: lost.why.clone(),
    })
}

/// The warning for an agent whose connection was too slow for all of its records.
pub(crate) fn unrecorded(agent: &AgentPart) -> Option<Unfit> {
    let requests = Some(agent.unrecorded).filter(|requests| *requests > 0)?;
    Some(Unfit::Agent { name: agent.name.clone(), unfit: Box::new(Unfit::Unrecorded { requests }) })
}

fn told(agent: &AgentPart, unfit: &[Unfit], is_open: bool) -> LoadAgent {
    let lag = agent.lag.at(0.99).filter(|_| is_open);
    let times = agent.machine.times();
    let of_way = (agent.unrecorded > 0).then_some(Unfit::Unrecorded { requests: agent.unrecorded });
    LoadAgent {
        name: agent.name.clone(),
        command: program_of(&agent.command),
        requests: agent.recorded,
        answered: agent.answered,
        unsent: agent.end.as_ref().map_or(0, |end| end.unsent),
        missing: agent.missing.unwrap_or(0),
        unrecorded: agent.unrecorded,
        send_lag_ns: lag.map(|p99| send_lag(agent.lag.at(0.5).unwrap_or(0), p99, agent.lag.max())),
        cpu_ns: agent.end.as_ref().map(|end| nanos(end.cpu)),
        stolen_share: (!times.elapsed.is_zero()).then(|| times.stolen_share()),
        start_uncertainty_ns: nanos(agent.start_uncertainty),
        round_trip_ns: nanos(agent.round_trip),
        drift: agent.drift,
        fit: unfit.is_empty() && of_way.is_none() && agent.lost.is_none(),
        unfit: unfit.iter().chain(&of_way).map(ToString::to_string).collect(),
        lost: agent.lost.clone(),
    }
}

/// What was to be sent, and how it ended.
fn sent(head: &RecordHead, end: Option<&RecordEnd>, is_open: bool) -> LoadDocument {
    let seconds: f64 = head.steps.iter().map(|(_, _, ns)| *ns as f64 / 1e9).sum();
    let requests: f64 = head.steps.iter().map(|(from, to, ns)| (from + to) / 2.0 * *ns as f64 / 1e9).sum();
    let ended = match end.map(|end| end.ended.as_str()) {
        Some("complete") => Ended::Complete,
        _ => Ended::Interrupted,
    };
    LoadDocument {
        schema: LoadDocument::SCHEMA.to_owned(),
        about: About { seed: Some(head.seed), ..About::default() },
        target: head.target.clone(),
        rate: is_open.then_some(requests / seconds),
        arrivals: is_open.then(|| if head.arrivals == "poisson" { "Poisson" } else { "constant" }.to_owned()),
        concurrency: head.concurrency as u64,
        keep_alive: head.keep_alive,
        keep_cookies: head.keep_cookies,
        http: head.http.clone(),
        ended: ended.into_str().to_owned(),
        ..LoadDocument::default()
    }
}

/// `None` without requests on such connections.
fn by_connection(slices: &Slices) -> Option<ByConnection> {
    let latencies = slices.latencies();
    let (latency_ns, latency_intervals_ns) = latency(&latencies, &LOAD_QUANTILES);
    let requests = latencies.count();
    (!latency_ns.is_empty()).then_some(ByConnection { requests, latency_ns, latency_intervals_ns })
}

fn of_step(step: &unladen_load::Step, part: &Part) -> Step {
    let (latency_ns, latency_intervals_ns) = latency(&part.slices.latencies(), &LOAD_QUANTILES);
    let (from, to, time_ns) = (step.from, step.to, nanos(step.time));
    Step { from, to, time_ns, requests: part.answered, errors: part.errors, latency_ns, latency_intervals_ns }
}

fn by_request(account: &Account, mix: &Mix, names: &[String]) -> Vec<ByRequest> {
    let name = |index: &usize| names.get(*index).cloned().unwrap_or_else(|| format!("request {index}"));
    let of = |(index, part): (&usize, &Part)| {
        let (latency_ns, latency_intervals_ns) = latency(&part.slices.latencies(), &LOAD_QUANTILES);
        let (name, requests, errors) = (name(index), part.answered, part.errors);
        ByRequest { name, requests, errors, latency_ns, latency_intervals_ns }
    };
    let mut parts: Vec<_> = account.by_request.iter().collect();
    parts.sort_by(|a, b| mix.share(*b.0).total_cmp(&mix.share(*a.0)));
    parts.into_iter().map(of).collect()
}

/// Shares of all planned requests: one that failed, or was never sent, was within no bound.
fn within(account: &Account, planned: u64) -> Ordered<f64> {
    let mut cumulative = 0;
    let share = |(bound, count): &(Duration, u64)| {
        cumulative += count;
        (bucket_name(*bound), cumulative as f64 / planned.max(1) as f64)
    };
    account.buckets.iter().map(share).collect()
}

/// The number of each kind, and its first.
fn errors(account: &Account, end: Option<&RecordEnd>) -> (Ordered<u64>, Ordered<String>) {
    let first = |kind: &str| end.and_then(|end| end.first_errors.get(kind).cloned()).unwrap_or_default();
    let mut errors: Vec<(&str, u64)> = account.errors.iter().map(|(kind, count)| (kind.into_str(), *count)).collect();
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let examples = errors.iter().map(|(kind, _)| ((*kind).to_owned(), first(kind))).collect();
    (errors.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect(), examples)
}

fn distribution(slices: &Slices) -> Vec<(u64, f64)> {
    let all = slices.distribution();
    let total: u64 = all.iter().map(|(_, count)| count).sum();
    let mut cumulative = 0;
    let points: Vec<(u64, f64)> = all
        .into_iter()
        .map(|(latency, count)| {
            cumulative += count;
            (latency, cumulative as f64 / total.max(1) as f64)
        })
        .collect();
    thinned(points)
}

/// Thins points for a picture: the whole tail, as it matters most, and the body in even steps.
pub(crate) fn thinned(points: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    if points.len() <= POINTS {
        return points;
    }
    let step = 1.0 / POINTS as f64;
    let (mut kept, mut next): (Vec<(u64, f64)>, f64) = (Vec::new(), 0.0);
    for point in points {
        let in_tail = point.1 > 1.0 - 2.0 * step;
        if point.1 >= next || in_tail {
            kept.push(point);
            next = point.1 + step;
        }
    }
    kept
}

fn warnings(result: &LoadDocument, waited: u64, differ: bool) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if result.cut_short > 0 {
        warnings.push(Warning::CutShort { requests: result.cut_short });
    }
    if result.rate.is_some() && (waited > 0 || result.unsent > 0) {
        warnings.push(Warning::Capped { concurrency: result.concurrency });
    }
    if result.changed > 0 && differ {
        let url = result.target.clone();
        warnings.push(Warning::BodyChanges { url, changed: result.changed, requests: result.requests });
    }
    warnings
}

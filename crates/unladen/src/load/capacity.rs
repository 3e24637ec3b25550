//! [`find_capacity`]: the highest rate that meets a limit.
//!
//! The rate is doubled until the limit breaks (or halved until it holds), then the gap is halved on a logarithmic scale
//! until it is narrow; the result has to hold once more, for twice as long. A rate holds if its quantile's interval
//! lies below the limit and no request failed; undecided counts as broken, so that the answer is reliable.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_document::{Capacity, LoadDocument, Trial};
use unladen_load::{Schedule, Step};
use unladen_report::{Ended, Unfit};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::options::{Limit, Options, Pace};
use crate::load::recorder::record_end;
use crate::load::result::{Ran, result, set_unfit};
use crate::load::sender::{Loading, Sent, account, head, is_interrupted, plan};

/// Ratio of broken to held rate at which the search ends.
const NARROW: f64 = 1.05;
/// Lowest rate tried: below, a trial would last for hours.
const LOWEST: f64 = 0.1;
const MOST_TRIALS: usize = 30;
/// Pause between trials, for queues to drain and garbage to be collected.
const PAUSE: Duration = Duration::from_secs(1);
/// Requests of a trial, as a multiple of what the quantile's interval needs.
const SPARE: f64 = 2.0;
/// However many requests the quantile needs.
const LONGEST_TRIAL: Duration = Duration::from_secs(120);

struct Search<'a> {
    loading: Loading<'a>,
    limit: &'a Limit,
    trials: Vec<Trial>,
    /// The highest rate that held, with its result.
    held: Option<(f64, LoadDocument)>,
    broken: Option<f64>,
}

enum Verdict {
    Held,
    Broken,
    /// The generator was the bottleneck, or it was interrupted: the search ends.
    End,
}

/// Searches from the rate of the options on. Fails if the client cannot go on.
pub(crate) fn find_capacity(loading: Loading<'_>) -> Result<LoadDocument, Failure> {
    let Loading { options, cancel, .. } = loading;
    let (Some(limit), Pace::Open(schedule)) = (&options.limit, &options.pace) else {
        return Err(Failure::Usage(
            "--find-capacity takes a limit, such as 'p95<100ms', and a --rate to start at".into(),
        ));
    };
    let begin = schedule.steps().first().map_or(10.0, |step| step.from);
    let mut search = Search { loading, limit, trials: Vec::new(), held: None, broken: None };
    let last = search.run(begin)?;
    let Search { trials, held, broken, .. } = search;
    let capacity = Capacity {
        limit: limit.to_string(),
        highest: held.as_ref().map(|(rate, _)| *rate),
        lowest_broken: broken,
        trials,
    };
    let mut result = held.map_or(last, |(_, result)| result);
    if cancel.is_cancelled() {
        result.ended = Ended::Interrupted.into_str().to_owned();
    }
    Ok(LoadDocument { capacity: Some(capacity), ..result })
}

impl Search<'_> {
    fn run(&mut self, begin: f64) -> Result<LoadDocument, Failure> {
        let mut rate = begin;
        loop {
            let (verdict, result) = self.trial(rate, 1.0)?;
            let is_last = self.trials.len() >= MOST_TRIALS;
            match verdict {
                Verdict::End => return Ok(result),
                Verdict::Held => {
                    if self.broken.is_some_and(|broken| broken <= rate * NARROW) {
                        return self.confirm(rate, result);
                    }
                    self.held = Some((rate, result.clone()));
                }
                Verdict::Broken => {
                    self.broken = Some(self.broken.map_or(rate, |broken| broken.min(rate)));
                    if let Some((held, of_held)) = self.held.take() {
                        if rate <= held * NARROW {
                            return self.confirm(held, of_held);
                        }
                        self.held = Some((held, of_held));
                    }
                }
            }
            rate = match (self.held.as_ref().map(|(rate, _)| *rate), self.broken) {
                (Some(held), Some(broken)) => (held * broken).sqrt(),
                (Some(held), None) => held * 2.0,
                (None, Some(broken)) => broken / 2.0,
                (None, None) => rate,
            };
            if is_last || rate < LOWEST {
                return Ok(result);
            }
        }
    }

    /// A rate that held has to hold again for twice as long; else a little less is tried.
    fn confirm(&mut self, mut rate: f64, mut result: LoadDocument) -> Result<LoadDocument, Failure> {
        self.held = None;
        while self.trials.len() < MOST_TRIALS && rate >= LOWEST {
            let (verdict, again) = self.trial(rate, 2.0)?;
            result = again;
            match verdict {
                Verdict::Held => {
                    self.held = Some((rate, result.clone()));
                    break;
                }
                Verdict::End => break,
                Verdict::Broken => self.broken = Some(rate),
            }
            rate /= NARROW;
        }
        Ok(result)
    }

    /// Tries a rate; once more if the generator was late, since a neighbour may have taken its core for a moment.
    fn trial(&mut self, rate: f64, longer: f64) -> Result<(Verdict, LoadDocument), Failure> {
        let tried = self.try_once(rate, longer)?;
        let is_whole = !tried.1.is_torn();
        if matches!(tried.0, Verdict::End) && is_whole && !self.loading.cancel.is_cancelled() {
            return self.try_once(rate, longer);
        }
        Ok(tried)
    }

    fn try_once(&mut self, rate: f64, longer: f64) -> Result<(Verdict, LoadDocument), Failure> {
        let Loading { options, client, http, cancel, progress } = &mut self.loading;
        if !self.trials.is_empty() {
            cancel.wait(PAUSE);
        }
        let needs = SPARE * unladen_lockin::samples_needed(self.limit.quantile) as f64;
        let least = Duration::try_from_secs_f64(needs / rate).unwrap_or(LONGEST_TRIAL).min(LONGEST_TRIAL);
        let time = options.time.unwrap_or(Options::TIME).max(least).mul_f64(longer);
        let arrivals = match &options.pace {
            Pace::Open(schedule) => schedule.arrivals(),
            Pace::Closed => Default::default(),
        };
        let pace = Pace::Open(Schedule::new(vec![Step::steady(rate, time)], arrivals, options.seed)?);
        let number = self.trials.len() + 1;
        let mut watch = |account: &Account, elapsed: Duration| {
            let seconds = |time: Duration| time.as_secs_f64();
            let what = format!(
                "trial {number}, {:.0} of {:.0} s: {rate:.1}/s, {} answered",
                seconds(elapsed),
                seconds(time),
                account.answered
            );
            // The number of trials is unknown: the time is that of all, the bar that of this one.
            progress.trial(elapsed.as_secs_f64() / time.as_secs_f64(), &what);
        };
        let account = account(options, &pace);
        let plan = unladen_load::LoadPlan {
            // A server that cannot keep up is not waited for longer than the limit.
            grace: self.limit.latency.min(options.driver.timeout),
            ..plan(options, &pace, time)
        };
        let sent = client.send(plan, account, cancel, None, &mut watch)?;
        let interrupted = is_interrupted(&sent.end);
        let end = record_end(&sent.end, &sent.agents, interrupted);
        let head = head(options, &pace, http);
        let ran = Ran {
            head: &head,
            mix: &options.mix,
            account: &sent.account,
            end: Some(&end),
            machine: Some(&sent.machine),
            agents: &sent.agents,
            capacity: None,
        };
        let (result, unfit) = result(ran);
        let (trial, unfit) = judged(&result, unfit, rate, self.limit, &sent);
        let verdict = match trial.held {
            _ if interrupted || trial.unfit => Verdict::End,
            Some(true) => Verdict::Held,
            _ => Verdict::Broken,
        };
        if !interrupted {
            self.trials.push(trial);
        }
        Ok((verdict, set_unfit((result, unfit))))
    }
}

/// Judges a trial; what is left of the reasons why the generator may be to blame invalidates it.
///
/// Latency counts from the planned time, so it includes the generator's lateness: a rate that held the limit has held
/// it in spite of that. One that did not hold is blamed on the generator only if the verdict would differ without its
/// p99 lag, and that lag is no trifle beside the limit.
fn judged(result: &LoadDocument, mut unfit: Vec<Unfit>, rate: f64, limit: &Limit, sent: &Sent) -> (Trial, Vec<Unfit>) {
    let bound = u64::try_from(limit.latency.as_nanos()).unwrap_or(u64::MAX);
    let quantiles = sent.account.all.latencies().quantiles(&[limit.quantile]);
    let quantile = quantiles.and_then(|all| all.first().map(|quantile| (quantile.value, quantile.interval)));
    let errors = result.failed();
    let (held, beyond) = verdict(quantile, bound, errors);
    // Of several hosts, the latest.
    let p99 = |lag: &Option<BTreeMap<String, u64>>| lag.as_ref()?.get("p99").copied();
    let of_agents = result.agents.iter().filter_map(|agent| p99(&agent.send_lag_ns)).max();
    let late = of_agents.or(p99(&result.send_lag_ns)).unwrap_or(0);
    let stays = |unfit: &Unfit| match unfit {
        Unfit::Lost { .. } => true,
        Unfit::Busy { .. } => held != Some(true),
        // Everything is counted, to the bin: whether the limit held is known without the records.
        Unfit::Agent { unfit, .. } => matches!(**unfit, Unfit::Busy { .. }) && held != Some(true),
        _ => false,
    };
    unfit.retain(stays);
    // A lag below the search's final gap does not falsify the rate it finds.
    let most = beyond.map(|beyond| beyond.max((bound as f64 * (NARROW - 1.0)) as u64));
    if let Some(limit) = most.filter(|most| late > *most) {
        let latest = sent.agents.iter().max_by_key(|agent| agent.lag.at(0.99));
        let because = match latest {
            Some(agent) => agent.machine.because(&agent.lateness),
            None => sent.machine.stretches().because(&sent.account.lateness),
        };
        unfit.push(Unfit::Late { p99: late, limit, because });
    }
    let of_kind =
        result.errors.iter().map(|(kind, count)| (*count, result.error_examples.get(kind).map_or("", String::as_str)));
    let failure = most_of_what_failed(of_kind, result.unsent, result.missing);
    let interval = quantile.and_then(|(_, interval)| interval);
    let trial = Trial {
        rate,
        planned: result.planned,
        quantile_ns: quantile.map(|(value, _)| value),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        errors,
        failure,
        held,
        unfit: !unfit.is_empty(),
    };
    (trial, unfit)
}

/// The first failure of the most frequent kind.
fn most_of_what_failed<'a>(of_kind: impl Iterator<Item = (u64, &'a str)>, unsent: u64, missing: u64) -> Option<String> {
    let own = [
        (unsent, "never sent: as many requests as --concurrency allows were running until the end"),
        (missing, "missing: the agents that should have sent them were lost"),
    ];
    let most = of_kind.chain(own).filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count);
    most.map(|(_, words)| words.to_owned())
}

/// Whether a trial held the limit, if known; and if the latencies were too long, how much shorter they would have to be
/// for another verdict, ns.
fn verdict(quantile: Option<(u64, Option<(u64, u64)>)>, bound: u64, errors: u64) -> (Option<bool>, Option<u64>) {
    match quantile {
        _ if errors > 0 => (Some(false), None),
        Some((_, Some((_, high)))) if high < bound => (Some(true), None),
        Some((_, Some((low, _)))) if low >= bound => (Some(false), Some(low - bound)),
        Some((_, Some((_, high)))) => (None, Some(high - bound)),
        Some((value, None)) if value >= bound => (Some(false), Some(value - bound)),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`FarAgent`]: one agent, from its start to its last report.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use unladen_agent::{
    Answer, Ask, ClockOffset, Host, LoadAnswer, LoadAsk, Session, SessionError, SessionOptions, gathered, pieces, shown,
};
use unladen_load::{Cancel, ConfigForm, ErrorKind, LoadEnd, LoadError, PlanForm, RecordSummary, RequestRecord};
use unladen_machine::MachineTimes;
use unladen_report::Drift;

use crate::exit::Failure;
use crate::load::account::AgentPart;
use crate::load::hosts::bounds::{Bounds, SoFar};

/// Limit of an agent's answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A sending agent reports four times a second; one that is silent for this long is lost. A connection that stalls for
/// a moment loses nothing: records wait for it.
const SILENCE: Duration = Duration::from_secs(10);

/// Limit of the last reports after a stop: the agent counts what waits after a second.
const STOPPED: Duration = Duration::from_secs(5);

/// Most bytes of a summary: four distributions whose bins are all in use.
const LONGEST_SUMMARY: usize = 4 << 20;

/// Bytes shown of another host's message.
pub(super) const LONGEST_SENTENCE: usize = 1_000;

/// Most bytes of `HTTP/1.1`.
const LONGEST_VERSION: usize = 20;

/// Interval at which cancellation is checked.
const LOOK: Duration = Duration::from_millis(100);

/// Interval of repeated stops: the agent may not have begun at the first.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) struct FarAgent {
    host: Host,
    /// `None` once lost.
    pub(super) session: Option<Session>,
    /// Limit of a request, with its connection.
    pub(super) timeout: Duration,
    pub(super) strangers: u64,
    /// Its clock's offset from the local one when a load began.
    at_start: Option<ClockOffset>,
    /// When its clock was last measured: a round trip amid a load says nothing of the next start.
    pub(super) longest_round_trip: Duration,
}

pub(super) enum Told {
    Records(Vec<RequestRecord>),
    /// Sums for requests whose records were lost.
    Summary(Box<RecordSummary>),
    /// What its machine did until then, since the start.
    Look(Duration, MachineTimes),
    Ended(Box<LoadEnd>),
    /// When it was last heard of, and why it was lost.
    Lost(Instant, String),
}

impl FarAgent {
    pub(super) fn start(
        host: &Host,
        options: &SessionOptions,
        config: &ConfigForm,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let session = Session::start_unless(host, options, &|| cancel.is_cancelled())?;
        let agent = Self {
            host: host.clone(),
            session: Some(session),
            timeout,
            strangers: 0,
            at_start: None,
            longest_round_trip: Duration::ZERO,
        };
        for (piece, last) in pieces(config).map_err(|error| agent.cannot(&error.to_string()))? {
            agent.ask(LoadAsk::Start { piece, last })?;
        }
        // It may take the time-out, as it resolves names.
        match agent.answer(PATIENCE + timeout, cancel)? {
            LoadAnswer::Started => Ok(agent),
            _ => Err(agent.unexpected()),
        }
    }

    pub(super) fn sample(&self, request: usize, cancel: &Cancel) -> Result<(String, Duration), Failure> {
        let asked = Instant::now();
        self.ask(LoadAsk::Sample { request: u32::try_from(request).unwrap_or(u32::MAX) })?;
        match self.answer(PATIENCE + self.timeout, cancel)? {
            LoadAnswer::Sampled { version, latency_ns } => Ok(sampled(&version, latency_ns, asked.elapsed())),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn tell_plan(&self, form: &PlanForm) -> Result<(), Failure> {
        for (piece, last) in pieces(form).map_err(|error| self.cannot(&error.to_string()))? {
            self.ask(LoadAsk::Plan { piece, last })?;
        }
        Ok(())
    }

    /// Waits until it has understood the plan, and measures its clock.
    pub(super) fn is_ready(&mut self, pings: usize, cancel: &Cancel) -> Result<(), Failure> {
        match self.answer(PATIENCE, cancel)? {
            LoadAnswer::Planned => {}
            _ => return Err(self.unexpected()),
        }
        let until = Instant::now() + PATIENCE;
        let mut longest = Duration::ZERO;
        for _ in 0..pings {
            let asked = Instant::now();
            self.at_start = Some(self.session()?.measure_clock(1, until)?);
            longest = longest.max(asked.elapsed());
        }
        self.longest_round_trip = longest;
        Ok(())
    }

    pub(super) fn begin(&self, start_ns: u64) -> Result<AgentPart, Failure> {
        let clock = self.at_start.ok_or_else(|| self.cannot("its clock was not measured"))?;
        let there = i128::from(start_ns) + i128::from(clock.offset_ns);
        let at_ns = u64::try_from(there).map_err(|_| self.cannot("its clock is beyond bounds"))?;
        self.ask(LoadAsk::Begin { at_ns })?;
        let trips = self.session.as_ref().and_then(Session::round_trips);
        Ok(AgentPart {
            name: self.host.name.clone(),
            command: self.host.command.clone(),
            start_uncertainty: Duration::from_nanos(clock.uncertainty_ns),
            round_trip: trips.map_or(Duration::ZERO, |trips| Duration::from_nanos(trips.min_ns)),
            ..AgentPart::default()
        })
    }

    /// Passes on its reports until it has reported all, is lost, or nobody receives any more.
    pub(super) fn listen(&mut self, index: usize, bounds: Bounds, told: &SyncSender<(usize, Told)>, cancel: &Cancel) {
        let mut heard = Instant::now();
        // The times of the first and the last stop.
        let mut stopped: Option<(Instant, Instant)> = None;
        let mut so_far = SoFar::default();
        loop {
            if cancel.is_cancelled() && stopped.is_none_or(|(_, last)| last.elapsed() >= AGAIN) {
                let now = Instant::now();
                stopped = Some((stopped.map_or(now, |(first, _)| first), now));
                // An agent that is gone is noticed below.
                let _ = self.ask(LoadAsk::Stop);
            }
            let next = self.next(&bounds, &mut so_far);
            let is_over = stopped.is_some_and(|(first, _)| first.elapsed() > STOPPED)
                || bounds.until(&so_far).is_some_and(|until| Instant::now() > until);
            let (next, is_last) = match next {
                Ok(next) if is_over && !matches!(next, Some(Told::Ended(_))) => {
                    (Told::Lost(heard, "it sent messages after its end".to_owned()), true)
                }
                Ok(None) if heard.elapsed() < SILENCE => continue,
                Ok(None) => (Told::Lost(heard, format!("it sent nothing for {} s", SILENCE.as_secs())), true),
                Ok(Some(told)) => {
                    let is_last = matches!(told, Told::Ended(_));
                    (told, is_last)
                }
                Err(why) => (Told::Lost(heard, why), true),
            };
            let is_lost = matches!(next, Told::Lost(..));
            if told.send((index, next)).is_err() || is_lost {
                // The load ends here, so it has to end there.
                self.session = None;
                return;
            }
            if is_last {
                return;
            }
            // An agent that waited for the receiver here has not been silent.
            heard = Instant::now();
        }
    }

    /// Its next plausible report; `None` if it takes longer than a look.
    fn next(&mut self, bounds: &Bounds, so_far: &mut SoFar) -> Result<Option<Told>, String> {
        let Some(session) = &self.session else { return Err("it was lost earlier".to_owned()) };
        let answer = match session.recv(Instant::now() + LOOK) {
            Ok(answer) => answer,
            Err(error) if error.is_late() => return Ok(None),
            Err(error) => return Err(without_name(&error, &self.host)),
        };
        match answer {
            Answer::Load(LoadAnswer::Records(batch)) => {
                let records = batch.records().map_err(|damaged| damaged.to_string())?;
                so_far.bytes = so_far.bytes.saturating_add(batch.size() as u64);
                bounds.check(&records, so_far)?;
                Ok(Some(Told::Records(records)))
            }
            Answer::Load(LoadAnswer::Look { end_ns, times }) => {
                Ok(Some(Told::Look(Duration::from_nanos(end_ns), times.into())))
            }
            Answer::Load(LoadAnswer::Summary { piece, last }) => {
                let whole = gathered(&mut so_far.pieces, &piece, last, LONGEST_SUMMARY);
                let summary: Option<RecordSummary> =
                    whole.map_err(|error| format!("its summary is damaged: {error}"))?;
                let Some(summary) = summary else { return Ok(None) };
                bounds.check_summary(&summary, so_far)?;
                Ok(Some(Told::Summary(Box::new(summary))))
            }
            Answer::Load(LoadAnswer::Ended { end, strangers }) => {
                bounds.check_end(so_far, &end)?;
                self.strangers = strangers;
                Ok(Some(Told::Ended(end)))
            }
            Answer::Load(LoadAnswer::Failed { why, .. }) => Err(shown(&why, LONGEST_SENTENCE)),
            _ => Err("it sent an unexpected message".to_owned()),
        }
    }

    pub(super) fn drift(&self, pings: usize) -> Option<Drift> {
        let before = self.at_start?;
        let after = self.session.as_ref()?.measure_clock(pings, Instant::now() + SILENCE).ok()?;
        Some(Drift {
            ns: after.offset_ns.saturating_sub(before.offset_ns),
            uncertainty_ns: after.uncertainty_ns.saturating_add(before.uncertainty_ns),
        })
    }

    fn session(&self) -> Result<&Session, Failure> {
        self.session.as_ref().ok_or_else(|| self.cannot("was lost earlier"))
    }

    fn ask(&self, ask: LoadAsk) -> Result<(), Failure> {
        Ok(self.session()?.send(&Ask::Load(ask))?)
    }

    fn answer(&self, patience: Duration, cancel: &Cancel) -> Result<LoadAnswer, Failure> {
        let begun = Instant::now();
        loop {
            match self.session()?.recv(Instant::now() + LOOK) {
                Ok(Answer::Load(LoadAnswer::Failed { kind, why })) => {
                    return Err(Failure::AgentLoad {
                        agent: self.host.name.clone(),
                        kind,
                        why: shown(&why, LONGEST_SENTENCE),
                    });
                }
                Ok(Answer::Load(answer)) => return Ok(answer),
                Ok(Answer::Refused { why, .. }) => return Err(self.cannot(&shown(&why, LONGEST_SENTENCE))),
                Ok(_) => return Err(self.cannot("sent an unexpected message")),
                Err(error) if !error.is_late() || begun.elapsed() > patience => return Err(error.into()),
                Err(_) if cancel.is_cancelled() => return Err(LoadError::Cancelled.into()),
                Err(_) => {}
            }
        }
    }

    fn unexpected(&self) -> Failure {
        self.cannot("answered a different question")
    }

    fn cannot(&self, why: &str) -> Failure {
        Failure::AgentLoad { agent: self.host.name.clone(), kind: ErrorKind::Client, why: why.to_owned() }
    }
}

/// Bounds what it claims about a request: the latency is at most what the answer took to come here.
fn sampled(version: &str, latency_ns: u64, took: Duration) -> (String, Duration) {
    (shown(version, LONGEST_VERSION), Duration::from_nanos(latency_ns).min(took))
}

/// A session's error, without the host's name, which the message has already.
fn without_name(error: &SessionError, host: &Host) -> String {
    let text = shown(&error.to_string(), LONGEST_SENTENCE);
    let rest = text.strip_prefix(&format!("host {}", host.name)).map(|rest| rest.trim_start_matches(':').trim_start());
    rest.map(|rest| rest.strip_prefix("is gone: ").unwrap_or(rest).to_owned()).unwrap_or(text)
}

#[cfg(test)]
mod tests;

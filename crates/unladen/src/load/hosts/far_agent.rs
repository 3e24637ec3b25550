//! The principal type is [`FarAgent`]: one agent, from its start to what it tells last.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use unladen_agent::{
    Answer, Ask, ClockOffset, Host, LoadAnswer, LoadAsk, Session, SessionError, SessionOptions, pieces,
};
use unladen_load::{Cancel, ConfigForm, ErrorKind, LoadEnd, LoadError, PlanForm, RequestRecord};
use unladen_machine::MachineTimes;
use unladen_report::Drift;

use crate::exit::Failure;
use crate::load::agent_part::AgentPart;

/// A way to an agent that takes longer than this to answer is none.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent that sends says something four times a second; one that says nothing for this long is lost. Ways that stall
/// for a moment lose nothing: records wait for them.
const SILENCE: Duration = Duration::from_secs(10);

/// What an agent may take to tell the last once its load is over: half a million records may wait for a way of 64 KiB/s.
const DRAIN: Duration = Duration::from_secs(180);

/// What it may take for that once it was told to stop, beside what a request may take.
const STOPPED: Duration = Duration::from_secs(10);

/// A closed loop plans a request when it sends it, which may be this much after the end.
const SLACK: Duration = Duration::from_secs(10);

/// How often it is looked whether the load was given up.
const LOOK: Duration = Duration::from_millis(100);

/// How often an agent is told again to stop: it may not have begun when it was told first.
const AGAIN: Duration = Duration::from_secs(1);

/// What an agent cannot exceed: one that goes on and on would hold a load for ever.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) started: Instant,
    /// Since the start, all requests are planned before this …
    pub(super) length: Duration,
    /// … and given up this much later.
    pub(super) grace: Duration,
    /// The most records it has to tell.
    pub(super) records: Option<u64>,
    /// How many requests there are to choose from.
    pub(super) requests: usize,
}

/// One agent.
pub(super) struct FarAgent {
    host: Host,
    /// None once it was lost.
    session: Option<Session>,
    /// What a request may take, with its connection.
    timeout: Duration,
    strangers: u64,
    /// How far its clock was from the one here when a load began.
    at_start: Option<ClockOffset>,
}

/// What one agent told of a load.
pub(super) enum Told {
    /// What became of some requests.
    Records(Vec<RequestRecord>),
    /// What its machine did until then, since the start.
    Look(Duration, MachineTimes),
    /// It has told all.
    Ended(Box<LoadEnd>),
    /// It was lost; when the last was heard of it, and why.
    Lost(Instant, String),
}

// === impl FarAgent ===

impl FarAgent {
    /// Starts the agent, and its client.
    pub(super) fn start(
        host: &Host,
        options: &SessionOptions,
        config: &ConfigForm,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let session = Session::start(host, options)?;
        let agent = Self { host: host.clone(), session: Some(session), timeout, strangers: 0, at_start: None };
        for (piece, last) in pieces(config).map_err(|error| agent.cannot(&error.to_string()))? {
            agent.ask(LoadAsk::Start { piece, last })?;
        }
        // It resolves names.
        match agent.answer(PATIENCE + timeout, cancel)? {
            LoadAnswer::Started => Ok(agent),
            other => Err(agent.unexpected(other)),
        }
    }

    /// Sends the first requests once; tells the version of HTTP of the last.
    pub(super) fn try_requests(&self, tried: usize, cancel: &Cancel) -> Result<String, Failure> {
        let mut http = String::new();
        for index in 0..u32::try_from(tried).unwrap_or(u32::MAX) {
            self.ask(LoadAsk::Sample { request: index })?;
            match self.answer(PATIENCE + self.timeout, cancel)? {
                LoadAnswer::Sampled { version } => http = version.chars().take(20).collect(),
                other => return Err(self.unexpected(other)),
            }
        }
        Ok(http)
    }

    /// Tells it what it is to send.
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
            other => return Err(self.unexpected(other)),
        }
        self.at_start = Some(self.session()?.measure_clock(pings, Instant::now() + PATIENCE)?);
        Ok(())
    }

    /// The longest round trip so far.
    pub(super) fn longest_round_trip(&self) -> Duration {
        let trips = self.session.as_ref().and_then(Session::round_trips);
        trips.map_or(Duration::ZERO, |trips| Duration::from_nanos(trips.max_ns))
    }

    /// Has it begin at that time of the clock here.
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

    /// Hands on what it tells, until it has told all or is lost, or nobody takes it any more.
    pub(super) fn listen(&mut self, index: usize, bounds: Bounds, told: &SyncSender<(usize, Told)>, cancel: &Cancel) {
        let mut heard = Instant::now();
        let mut stopped: Option<Instant> = None;
        let mut until = bounds.until(self.timeout.saturating_add(DRAIN));
        let mut records = 0;
        loop {
            if cancel.is_cancelled() && stopped.is_none_or(|stopped| stopped.elapsed() >= AGAIN) {
                if stopped.is_none() {
                    let soon = Instant::now().checked_add(self.timeout.saturating_add(STOPPED));
                    until = until.into_iter().chain(soon).min();
                }
                stopped = Some(Instant::now());
                // One that is gone is seen as such below.
                let _ = self.ask(LoadAsk::Stop);
            }
            let next = self.next().and_then(|next| bounds.check(next, &mut records));
            let (next, is_last) = match next {
                Ok(next)
                    if until.is_some_and(|until| Instant::now() > until) && !matches!(next, Some(Told::Ended(_))) =>
                {
                    (Told::Lost(heard, "it goes on after its end".to_owned()), true)
                }
                Ok(None) if heard.elapsed() < SILENCE => continue,
                Ok(None) => (Told::Lost(heard, format!("it said nothing for {} s", SILENCE.as_secs())), true),
                Ok(Some(told)) => {
                    let is_last = matches!(told, Told::Ended(_));
                    (told, is_last)
                }
                Err(why) => (Told::Lost(heard, why), true),
            };
            let is_lost = matches!(next, Told::Lost(..));
            if told.send((index, next)).is_err() || is_lost {
                // The load ends here; the agent has to end there.
                self.session = None;
                return;
            }
            if is_last {
                return;
            }
            // Whoever waits for room here has not been silent there.
            heard = Instant::now();
        }
    }

    /// What it tells next; none if that takes longer than a look.
    fn next(&mut self) -> Result<Option<Told>, String> {
        let Some(session) = &self.session else { return Err("it was lost before".to_owned()) };
        let answer = match session.recv(Instant::now() + LOOK) {
            Ok(answer) => answer,
            Err(error) if error.is_late() => return Ok(None),
            Err(error) => return Err(without_name(&error, &self.host)),
        };
        match answer {
            Answer::Load(LoadAnswer::Records(batch)) => match batch.records() {
                Ok(records) => Ok(Some(Told::Records(records))),
                Err(damaged) => Err(damaged.to_string()),
            },
            Answer::Load(LoadAnswer::Look { end_ns, times }) => {
                Ok(Some(Told::Look(Duration::from_nanos(end_ns), times.into())))
            }
            Answer::Load(LoadAnswer::Ended { end, strangers }) => {
                self.strangers = strangers;
                Ok(Some(Told::Ended(end)))
            }
            Answer::Load(LoadAnswer::Failed { why, .. }) => Err(shown(&why)),
            _ => Err("it said something that was not asked for".to_owned()),
        }
    }

    /// How far its clock went beside the one here since the load began.
    pub(super) fn drift(&self, pings: usize) -> Option<Drift> {
        let before = self.at_start?;
        let after = self.session.as_ref()?.measure_clock(pings, Instant::now() + SILENCE).ok()?;
        Some(Drift {
            ns: after.offset_ns.saturating_sub(before.offset_ns),
            uncertainty_ns: after.uncertainty_ns.saturating_add(before.uncertainty_ns),
        })
    }

    /// Ends the session with one that was lost.
    pub(super) fn leave(&mut self) {
        self.session = None;
    }

    /// How many answers have set cookies to a stranger.
    pub(super) fn strangers(&self) -> u64 {
        self.strangers
    }

    fn session(&self) -> Result<&Session, Failure> {
        self.session.as_ref().ok_or_else(|| self.cannot("was lost before"))
    }

    fn ask(&self, ask: LoadAsk) -> Result<(), Failure> {
        Ok(self.session()?.send(&Ask::Load(ask))?)
    }

    /// The answer to a question.
    fn answer(&self, patience: Duration, cancel: &Cancel) -> Result<LoadAnswer, Failure> {
        let begun = Instant::now();
        loop {
            match self.session()?.recv(Instant::now() + LOOK) {
                Ok(Answer::Load(LoadAnswer::Failed { kind, why })) => {
                    return Err(Failure::AgentLoad { agent: self.host.name.clone(), kind, why: shown(&why) });
                }
                Ok(Answer::Load(answer)) => return Ok(answer),
                Ok(Answer::Refused { why, .. }) => return Err(self.cannot(&shown(&why))),
                Ok(_) => return Err(self.cannot("said something that was not asked for")),
                Err(error) if !error.is_late() || begun.elapsed() > patience => return Err(error.into()),
                Err(_) if cancel.is_cancelled() => return Err(LoadError::Cancelled.into()),
                Err(_) => {}
            }
        }
    }

    fn unexpected(&self, answer: LoadAnswer) -> Failure {
        match answer {
            LoadAnswer::Failed { kind, why } => {
                Failure::AgentLoad { agent: self.host.name.clone(), kind, why: shown(&why) }
            }
            _ => self.cannot("answered another question than it was asked"),
        }
    }

    fn cannot(&self, why: &str) -> Failure {
        Failure::AgentLoad { agent: self.host.name.clone(), kind: ErrorKind::Client, why: why.to_owned() }
    }
}

// === impl Bounds ===

impl Bounds {
    /// This much after the load's end; none if that is beyond the clock's.
    fn until(&self, more: Duration) -> Option<Instant> {
        self.started.checked_add(self.length.saturating_add(self.grace).saturating_add(more))
    }

    /// What was told, if it can be; `records` counts all so far.
    fn check(&self, told: Option<Told>, records: &mut u64) -> Result<Option<Told>, String> {
        let Some(Told::Records(batch)) = &told else { return Ok(told) };
        let last_ns = self.length.saturating_add(SLACK).as_nanos();
        if batch.iter().any(|one| u128::from(one.planned_ns) > last_ns || one.request as usize >= self.requests) {
            return Err("a record is damaged: it is of a request that was not planned".to_owned());
        }
        *records = records.saturating_add(batch.len() as u64);
        match self.records {
            Some(most) if *records > most => Err(format!("it told of more requests than its share has ({most})")),
            _ => Ok(told),
        }
    }
}

/// A sentence of another host, as it may be shown on a terminal.
fn shown(text: &str) -> String {
    text.chars().take(1_000).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What a session's error says, where the host is named before it.
fn without_name(error: &SessionError, host: &Host) -> String {
    let text = shown(&error.to_string());
    let rest = text.strip_prefix(&format!("host {}", host.name)).map(|rest| rest.trim_start_matches(':').trim_start());
    rest.map(|rest| rest.strip_prefix("is gone: ").unwrap_or(rest).to_owned()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: fn() -> Bounds = || Bounds {
        started: Instant::now(),
        length: Duration::from_secs(5),
        grace: Duration::ZERO,
        records: Some(3),
        requests: 2,
    };

    fn record(request: u32, planned: Duration) -> RequestRecord {
        RequestRecord {
            request,
            planned_ns: u64::try_from(planned.as_nanos()).unwrap(),
            lag_ns: None,
            sent_ns: None,
            first_byte_ns: None,
            latency_ns: 1,
            status: None,
            body_bytes: 0,
            reused: false,
            retried: false,
            changed: false,
            error: None,
        }
    }

    #[test]
    fn an_agent_that_tells_more_than_its_share_is_lost() {
        let (bounds, mut records) = (BOUNDS(), 0);
        let mut tell = |count| {
            let batch = vec![record(1, Duration::from_secs(4)); count];
            bounds.check(Some(Told::Records(batch)), &mut records).is_ok()
        };
        assert!(tell(2) && tell(1) && !tell(1));
    }

    #[test]
    fn records_of_requests_that_were_not_planned_are_damaged() {
        let told = |record| BOUNDS().check(Some(Told::Records(vec![record])), &mut 0).is_ok();
        assert!(told(record(1, Duration::from_secs(5))));
        assert!(!told(record(2, Duration::ZERO)), "there are two requests");
        assert!(!told(record(0, Duration::from_secs(16))), "long after the end");
    }
}

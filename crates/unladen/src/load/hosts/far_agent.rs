//! The principal type is [`FarAgent`]: one agent, from its start to what it tells last.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use unladen_agent::{
    Answer, Ask, ClockOffset, Host, LoadAnswer, LoadAsk, ROOM, Session, SessionError, SessionOptions, gathered, pieces,
    shown,
};
use unladen_load::{Cancel, ConfigForm, ErrorKind, LoadEnd, LoadError, PlanForm, RecordSummary, RequestRecord};
use unladen_machine::MachineTimes;
use unladen_report::Drift;

use crate::exit::Failure;
use crate::load::agent_part::AgentPart;

/// A way to an agent that takes longer than this to answer is none.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent that sends says something four times a second; one that says nothing for this long is lost. Ways that stall
/// for a moment lose nothing: records wait for them.
const SILENCE: Duration = Duration::from_secs(10);

/// What an agent may take to tell the last once its load is over, beside what the way takes for what may be left …
const DRAIN: Duration = Duration::from_secs(10);
/// … and at most: after a minute an agent counts what is left, and tells that.
const LONGEST_DRAIN: Duration = Duration::from_secs(120);

/// Bytes that may be on the way: in the pipes, the window of an ssh connection and the sockets.
const ON_THE_WAY: u64 = 4 << 20;

/// What it may take to tell the last once it was told to stop: it counts what waits after a second.
const STOPPED: Duration = Duration::from_secs(5);

/// The longest summary: four distributions whose bins are all in use.
const LONGEST_SUMMARY: usize = 4 << 20;

/// Of a sentence of another host, so many bytes are shown.
pub(super) const LONGEST_SENTENCE: usize = 1_000;

/// More requests than one thread sends in a second.
const FASTEST: u64 = 200_000;

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

/// What an agent has told of a load so far.
#[derive(Debug, Default)]
struct SoFar {
    /// Requests of which it told what became.
    requests: u64,
    /// Bytes of their records.
    bytes: u64,
    /// The pieces of its summary.
    pieces: Vec<u8>,
    /// Whether that has come.
    is_summed_up: bool,
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
    longest_round_trip: Duration,
}

/// What one agent told of a load.
pub(super) enum Told {
    /// What became of some requests.
    Records(Vec<RequestRecord>),
    /// What those came to whose records were lost.
    Summary(Box<RecordSummary>),
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
        // It resolves names.
        match agent.answer(PATIENCE + timeout, cancel)? {
            LoadAnswer::Started => Ok(agent),
            other => Err(agent.unexpected(other)),
        }
    }

    /// Sends a request once; tells the version of HTTP, and how long it took.
    pub(super) fn sample(&self, request: usize, cancel: &Cancel) -> Result<(String, Duration), Failure> {
        self.ask(LoadAsk::Sample { request: u32::try_from(request).unwrap_or(u32::MAX) })?;
        match self.answer(PATIENCE + self.timeout, cancel)? {
            LoadAnswer::Sampled { version, latency_ns } => {
                Ok((version.chars().take(20).collect(), Duration::from_nanos(latency_ns)))
            }
            other => Err(self.unexpected(other)),
        }
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

    /// The longest round trip when its clock was measured last: what one took amid a load says nothing of the next start.
    pub(super) fn longest_round_trip(&self) -> Duration {
        self.longest_round_trip
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
        // When it was told to stop first, and when last.
        let mut stopped: Option<(Instant, Instant)> = None;
        let mut so_far = SoFar::default();
        loop {
            if cancel.is_cancelled() && stopped.is_none_or(|(_, last)| last.elapsed() >= AGAIN) {
                let now = Instant::now();
                stopped = Some((stopped.map_or(now, |(first, _)| first), now));
                // One that is gone is seen as such below.
                let _ = self.ask(LoadAsk::Stop);
            }
            let next = self.next(&bounds, &mut so_far);
            let is_over = stopped.is_some_and(|(first, _)| first.elapsed() > STOPPED)
                || bounds.until(self.timeout, &so_far).is_some_and(|until| Instant::now() > until);
            let (next, is_last) = match next {
                Ok(next) if is_over && !matches!(next, Some(Told::Ended(_))) => {
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

    /// What it tells next, if that can be; none if it takes longer than a look.
    fn next(&mut self, bounds: &Bounds, so_far: &mut SoFar) -> Result<Option<Told>, String> {
        let Some(session) = &self.session else { return Err("it was lost before".to_owned()) };
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
                so_far.check_end(&end)?;
                self.strangers = strangers;
                Ok(Some(Told::Ended(end)))
            }
            Answer::Load(LoadAnswer::Failed { why, .. }) => Err(shown(&why, LONGEST_SENTENCE)),
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

    /// The process that leads to it; none once it was lost.
    pub(super) fn carrier(&self) -> Option<u32> {
        self.session.as_ref().map(Session::carrier)
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
                    return Err(Failure::AgentLoad {
                        agent: self.host.name.clone(),
                        kind,
                        why: shown(&why, LONGEST_SENTENCE),
                    });
                }
                Ok(Answer::Load(answer)) => return Ok(answer),
                Ok(Answer::Refused { why, .. }) => return Err(self.cannot(&shown(&why, LONGEST_SENTENCE))),
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
                Failure::AgentLoad { agent: self.host.name.clone(), kind, why: shown(&why, LONGEST_SENTENCE) }
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
    /// When it has told all at the latest; none if that is beyond the clock's. What may be left after the load's end takes
    /// as long as the way took for as much until now, and twice that.
    fn until(&self, timeout: Duration, so_far: &SoFar) -> Option<Instant> {
        let end = self.started.checked_add(self.length.saturating_add(self.grace).saturating_add(timeout))?;
        let now = Instant::now();
        if now <= end {
            return Some(end + DRAIN);
        }
        let of_a_record = so_far.bytes.checked_div(so_far.requests).unwrap_or(0);
        let untold = self.records.map(|most| most.saturating_sub(so_far.requests).saturating_mul(of_a_record));
        let left = untold.unwrap_or(u64::MAX).min(ROOM as u64 + ON_THE_WAY) as f64;
        let took = now.saturating_duration_since(self.started).as_secs_f64();
        let drain = Duration::try_from_secs_f64(2.0 * took * left / so_far.bytes.max(1) as f64);
        let drain = drain.unwrap_or(LONGEST_DRAIN).saturating_add(DRAIN).min(LONGEST_DRAIN);
        end.checked_add(drain)
    }

    /// Refuses records that cannot be.
    fn check(&self, records: &[RequestRecord], so_far: &mut SoFar) -> Result<(), String> {
        let last_ns = self.length.saturating_add(SLACK).as_nanos();
        if records.iter().any(|one| u128::from(one.planned_ns) > last_ns || one.request as usize >= self.requests) {
            return Err("a record is damaged: it is of a request that was not planned".to_owned());
        }
        self.count(records.len() as u64, so_far)
    }

    /// Refuses a summary that cannot be.
    fn check_summary(&self, summary: &RecordSummary, so_far: &mut SoFar) -> Result<(), String> {
        if so_far.is_summed_up || !summary.is_consistent() {
            return Err("its summary does not add up".to_owned());
        }
        so_far.is_summed_up = true;
        self.count(summary.recorded, so_far)
    }

    fn count(&self, more: u64, so_far: &mut SoFar) -> Result<(), String> {
        so_far.requests = so_far.requests.saturating_add(more);
        // In a closed loop nothing else bounds them, and each takes memory here; a summary of any number is short.
        let fastest = (self.started.elapsed().as_secs() + 1).saturating_mul(FASTEST);
        match self.records {
            Some(most) if so_far.requests > most => {
                Err(format!("it told of more requests than its share has ({most})"))
            }
            _ if so_far.requests > fastest => {
                Err(format!("it told of {} requests, more than a host can send in this time", so_far.requests))
            }
            _ => Ok(()),
        }
    }
}

// === impl SoFar ===

impl SoFar {
    /// Of each request that it says it sent it has to have told.
    fn check_end(&self, end: &LoadEnd) -> Result<(), String> {
        let ended = end.sent.saturating_sub(end.abandoned);
        if self.requests == ended {
            return Ok(());
        }
        Err(format!("its account does not add up: it told of {} requests, and says that {ended} ended", self.requests))
    }
}

/// What a session's error says, where the host is named before it.
fn without_name(error: &SessionError, host: &Host) -> String {
    let text = shown(&error.to_string(), LONGEST_SENTENCE);
    let rest = text.strip_prefix(&format!("host {}", host.name)).map(|rest| rest.trim_start_matches(':').trim_start());
    rest.map(|rest| rest.strip_prefix("is gone: ").unwrap_or(rest).to_owned()).unwrap_or(text)
}

#[cfg(test)]
pub(super) mod tests {
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
        let (bounds, mut so_far) = (BOUNDS(), SoFar::default());
        let mut tell = |count| bounds.check(&vec![record(1, Duration::from_secs(4)); count], &mut so_far).is_ok();
        assert!(tell(2) && tell(1) && !tell(1));
    }

    #[test]
    fn records_of_requests_that_were_not_planned_are_damaged() {
        let told = |record| BOUNDS().check(&[record], &mut SoFar::default()).is_ok();
        assert!(told(record(1, Duration::from_secs(5))));
        assert!(!told(record(2, Duration::ZERO)), "there are two requests");
        assert!(!told(record(0, Duration::from_secs(16))), "long after the end");
    }

    #[test]
    fn a_summary_counts_as_its_requests_and_comes_once() {
        let mut summary = RecordSummary::default();
        summary.add(&record(0, Duration::ZERO));
        let mut so_far = SoFar::default();
        assert_eq!(BOUNDS().check_summary(&summary, &mut so_far), Ok(()));
        assert_eq!(so_far.requests, 1);
        assert!(BOUNDS().check_summary(&summary, &mut so_far).unwrap_err().contains("does not add up"));
        (0..3).for_each(|_| summary.add(&record(0, Duration::ZERO)));
        assert!(BOUNDS().check_summary(&summary, &mut SoFar::default()).unwrap_err().contains("more requests"));
        let endless = Bounds { records: None, ..BOUNDS() };
        let mut many = RecordSummary { recorded: 1_000_000_000, waited: 1_000_000_000, ..RecordSummary::default() };
        many.errors.insert(ErrorKind::Connect, 1_000_000_000);
        assert!(many.is_consistent());
        assert!(endless.check_summary(&many, &mut SoFar::default()).unwrap_err().contains("more than a host can send"));
        summary.answered += 1;
        assert!(BOUNDS().check_summary(&summary, &mut SoFar::default()).unwrap_err().contains("does not add up"));
    }

    /// What an agent tells last.
    pub(in crate::load::hosts) fn end(sent: u64, abandoned: u64) -> LoadEnd {
        LoadEnd {
            ended: unladen_load::End::Until,
            sent,
            unsent: 5,
            abandoned,
            bytes_sent: 0,
            bytes_received: 0,
            connections_opened: 0,
            closed_by_server: 0,
            retries: 0,
            cpu: Duration::ZERO,
            worked: Duration::ZERO,
            paced: Duration::ZERO,
            first_errors: Default::default(),
        }
    }

    #[test]
    fn an_agent_that_hides_or_doubles_requests_is_seen() {
        let so_far = SoFar { requests: 10, ..SoFar::default() };
        assert_eq!(so_far.check_end(&end(12, 2)), Ok(()));
        assert!(so_far.check_end(&end(11, 0)).unwrap_err().contains("it told of 10 requests, and says that 11 ended"));
        assert!(so_far.check_end(&end(9, 0)).is_err());
    }

    #[test]
    fn how_long_is_waited_for_the_last_follows_from_the_way() {
        let second = Duration::from_secs(1);
        let now = Instant::now();
        let bounds = Bounds { started: now - 60 * second, length: 30 * second, records: Some(30_000), ..BOUNDS() };
        let end = bounds.started + bounds.length + second;
        let wait = |requests, bytes| {
            let so_far = SoFar { requests, bytes, ..SoFar::default() };
            bounds.until(second, &so_far).unwrap().saturating_duration_since(end)
        };
        assert_eq!(wait(30_000, 600_000), DRAIN, "all is told");
        // A minute for two thirds: half a minute for the rest, twice.
        let third = wait(20_000, 400_000);
        assert!(third > 69 * second && third < 72 * second, "{third:?}");
        assert_eq!(wait(0, 0), DRAIN, "nothing is known of the way of one that is silent");
        assert_eq!(wait(1, 20), LONGEST_DRAIN);
    }
}

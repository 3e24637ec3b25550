//! The principal type is [`FarInspection`]: traced groups of another host.

use std::fmt;
use std::time::{Duration, Instant};

use unladen_trace::Evidence;

use super::checked::{AskedPhase, check_phases, read_evidence};
use super::message::{EvidenceAnswer, EvidenceAsk, FarLack, MAX_EVIDENCE, Wanted};
use crate::ask::{Answer, Ask};
use crate::clock::ClockOffset;
use crate::error::SessionError;
use crate::session::Session;
use crate::shown::shown;

const MAX_SENTENCE: usize = 1000;

const PINGS: usize = 8;
/// Their time limit, after waiting for other hosts.
const CLOCK_WITHIN: Duration = Duration::from_secs(5);

/// Traced groups of another host. Questions and waits must alternate: no answer may be left for later.
#[derive(Debug)]
pub struct FarInspection<'a> {
    session: &'a Session,
    groups: usize,
    clock: Option<ClockOffset>,
    phases: Vec<AskedPhase>,
}

impl<'a> FarInspection<'a> {
    /// Asks the agent to attach to these groups, without waiting. Fails if the agent is gone, or an earlier answer was
    /// not waited for: it may still come, and would be mistaken for another.
    pub fn ask_attach(session: &'a Session, groups: Vec<Wanted>) -> Result<Self, Unable> {
        let count = groups.len();
        ask(session, EvidenceAsk::Attach { groups })?;
        Ok(Self { session, groups: count, clock: None, phases: Vec::new() })
    }

    /// Waits until it has attached, and measures its clock. Fails if it cannot, is gone, or does not answer in time.
    pub fn wait_attached(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Attached)?;
        let within = patience.deadline.max(Instant::now() + CLOCK_WITHIN);
        self.clock = Some(self.session.measure_clock(PINGS, within)?);
        Ok(())
    }

    /// Asks it to begin: earlier traces belong to no phase. Fails if the agent is gone.
    pub fn ask_begin(&mut self) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Begin)
    }

    /// Waits until it has begun. Fails if it could not, is gone, or does not answer in time.
    pub fn wait_begun(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Begun)
    }

    /// Asks it to count the traces since the last answer as a phase: with the times of requests sent, in ns of the
    /// local monotonic clock; or without requests, cut into stretches of `request_ns`. Fails if the agent is gone.
    pub fn ask_phase(&mut self, on: bool, sent_ns: &[u64], request_ns: u64) -> Result<(), Unable> {
        // Each ping improves the offset, and clocks drift.
        self.clock = self.session.clock().or(self.clock);
        let offset_ns = self.clock.map_or(0, |clock| clock.offset_ns);
        let there = |sent: &u64| sent.saturating_add_signed(offset_ns);
        let sent_ns: Vec<u64> = if on { sent_ns.iter().map(there).collect() } else { Vec::new() };
        self.phases.push(AskedPhase { on, requests: sent_ns.len() as u64 });
        ask(self.session, EvidenceAsk::Phase { on, sent_ns, request_ns })
    }

    /// Waits until the phase is counted. Fails if it could not, is gone, or does not answer in time.
    pub fn wait_counted(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Counted)
    }

    /// Asks for the evidence, with PHP's settings if `php`. Fails if the agent is gone.
    pub fn ask_finish(&mut self, php: bool) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Finish { php })
    }

    /// The evidence, without the groups' weights. Fails if the agent cannot provide it, is gone, does not answer in
    /// time, or sends something invalid.
    pub fn finish(&mut self, patience: &Patience<'_>) -> Result<Evidence, Unable> {
        evidence(self.session, self.groups, &std::mem::take(&mut self.phases), patience)
    }

    /// Facts about groups without tracing them: their programs, where they live, the settings of the PHPs among them.
    /// Fails as [`finish`](Self::finish) does.
    pub fn describe(session: &Session, groups: Vec<Wanted>, patience: &Patience<'_>) -> Result<Evidence, Unable> {
        let count = groups.len();
        ask(session, EvidenceAsk::Describe { groups })?;
        evidence(session, count, &[], patience)
    }

    /// Asks the agent to detach, without waiting. Fails if the agent is gone.
    pub fn ask_detach(&mut self) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Detach)
    }

    /// Waits until it has detached. Fails if the agent is gone, or does not answer in time.
    pub fn wait_detached(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Detached)
    }
}

fn evidence(
    session: &Session,
    groups: usize,
    asked: &[AskedPhase],
    patience: &Patience<'_>,
) -> Result<Evidence, Unable> {
    let mut json = Vec::new();
    loop {
        match answer(session, patience)? {
            EvidenceAnswer::Piece { piece, last } => {
                if piece.is_empty() || json.len() + piece.len() > MAX_EVIDENCE {
                    return Err(session.malformed("the evidence is incomplete".to_owned()).into());
                }
                json.extend_from_slice(&piece);
                if last {
                    break;
                }
            }
            other => return Err(unexpected(session, &other)),
        }
    }
    let checked = read_evidence(&json, groups).and_then(|told| check_phases(&told, asked).map(|()| told));
    checked.map_err(|error| session.malformed(shown(&error.to_string(), MAX_SENTENCE)).into())
}

fn ask(session: &Session, ask: EvidenceAsk) -> Result<(), Unable> {
    if session.traces_no_more() {
        return Err(session.late().into());
    }
    Ok(session.send(&Ask::Evidence(ask))?)
}

fn answer(session: &Session, patience: &Patience<'_>) -> Result<EvidenceAnswer, Unable> {
    let answer = session.recv_while(patience.deadline, patience.is_wanted);
    if answer.as_ref().is_err_and(SessionError::is_late) {
        session.trace_no_more();
    }
    match answer? {
        Answer::Evidence(EvidenceAnswer::Failed { lack, why }) => {
            Err(Unable::Lacks { lack, why: shown(&why, MAX_SENTENCE) })
        }
        Answer::Evidence(answer) => Ok(answer),
        other => Err(session.unexpected(&other).into()),
    }
}

fn expect(session: &Session, patience: &Patience<'_>, wanted: &EvidenceAnswer) -> Result<(), Unable> {
    match answer(session, patience)? {
        answer if answer == *wanted => Ok(()),
        other => Err(unexpected(session, &other)),
    }
}

fn unexpected(session: &Session, answer: &EvidenceAnswer) -> Unable {
    session.unexpected(&Answer::Evidence(answer.clone())).into()
}

/// Why nothing, or nothing more, can be traced on a host.
#[derive(Debug, thiserror::Error)]
pub enum Unable {
    #[error("{why}")]
    Lacks { lack: FarLack, why: String },
    /// The host is lost, or sends something invalid: no more questions are possible.
    #[error(transparent)]
    Lost(#[from] SessionError),
}

/// How long an answer is waited for. Hosts asked together share one, so that several silent ones take no longer than
/// one.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    pub deadline: Instant,
    /// Stop waiting when this returns false.
    pub is_wanted: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

//! The principal type is [`FarInspection`]: groups of another host, as they are traced from here.

use std::time::{Duration, Instant};

use unladen_trace::Evidence;

use super::checked::{AskedPhase, check_phases, read_evidence};
use super::message::{EvidenceAnswer, EvidenceAsk, MAX_EVIDENCE, Wanted};
use super::patience::Patience;
use super::unable::Unable;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::clock::ClockOffset;
use crate::error::SessionError;
use crate::session::Session;
use crate::shown::shown;

/// Longest sentence of a host that is shown.
const MAX_SENTENCE: usize = 1000;

/// Pings before the first phase, by which the clock there is known.
const PINGS: usize = 8;
/// They take so long at most, where others were waited for meanwhile.
const CLOCK_WITHIN: Duration = Duration::from_secs(5);

/// Groups of another host that are traced. Whoever has one asks and waits in turns: no answer is left for others.
#[derive(Debug)]
pub struct FarInspection<'a> {
    session: &'a Session,
    groups: usize,
    /// None before it is attached.
    clock: Option<ClockOffset>,
    /// Those asked for since the last evidence.
    phases: Vec<AskedPhase>,
}

impl<'a> FarInspection<'a> {
    /// Asks the agent to attach to these groups, and does not wait.
    ///
    /// # Errors
    /// If the agent is gone, or one of its answers was not waited for before: it may come yet, and would be taken for
    /// another.
    pub fn ask_attach(session: &'a Session, groups: Vec<Wanted>) -> Result<Self, Unable> {
        let count = groups.len();
        ask(session, EvidenceAsk::Attach { groups })?;
        Ok(Self { session, groups: count, clock: None, phases: Vec::new() })
    }

    /// Waits until it has, and looks at its clock.
    ///
    /// # Errors
    /// If it cannot, is gone, or does not answer in time.
    pub fn wait_attached(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Attached)?;
        let within = patience.deadline.max(Instant::now() + CLOCK_WITHIN);
        self.clock = Some(self.session.measure_clock(PINGS, within)?);
        Ok(())
    }

    /// Asks it to begin: what was traced until then belongs to no phase.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_begin(&mut self) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Begin)
    }

    /// Waits until it has begun.
    ///
    /// # Errors
    /// If it could not, is gone, or does not answer in time.
    pub fn wait_begun(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Begun)
    }

    /// Asks it to count what was traced since the answer before as a phase: with requests that were sent then, ns of the
    /// monotonic clock here; or with none, cut into stretches of `request_ns`.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_phase(&mut self, on: bool, sent_ns: &[u64], request_ns: u64) -> Result<(), Unable> {
        // The clock is known better with each ping, and drifts.
        self.clock = self.session.clock().or(self.clock);
        let offset_ns = self.clock.map_or(0, |clock| clock.offset_ns);
        let there = |sent: &u64| sent.saturating_add_signed(offset_ns);
        let sent_ns: Vec<u64> = if on { sent_ns.iter().map(there).collect() } else { Vec::new() };
        self.phases.push(AskedPhase { on, requests: sent_ns.len() as u64 });
        ask(self.session, EvidenceAsk::Phase { on, sent_ns, request_ns })
    }

    /// Waits until the phase is counted.
    ///
    /// # Errors
    /// If it could not, is gone, or does not answer in time.
    pub fn wait_counted(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Counted)
    }

    /// Asks what was counted, and for the settings of PHP too, if so.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_finish(&mut self, php: bool) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Finish { php })
    }

    /// What was counted; the groups' weights are not in it.
    ///
    /// # Errors
    /// If it could not be told, the agent is gone, does not answer in time, or says what cannot be.
    pub fn finish(&mut self, patience: &Patience<'_>) -> Result<Evidence, Unable> {
        evidence(self.session, self.groups, &std::mem::take(&mut self.phases), patience)
    }

    /// What is known of groups without tracing them: their programs, where they live, the settings of the PHPs among
    /// them.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn describe(session: &Session, groups: Vec<Wanted>, patience: &Patience<'_>) -> Result<Evidence, Unable> {
        let count = groups.len();
        ask(session, EvidenceAsk::Describe { groups })?;
        evidence(session, count, &[], patience)
    }

    /// Asks the agent to detach, and does not wait.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_detach(&mut self) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Detach)
    }

    /// Waits until it has.
    ///
    /// # Errors
    /// If the agent is gone, or does not answer in time.
    pub fn wait_detached(&mut self, patience: &Patience<'_>) -> Result<(), Unable> {
        expect(self.session, patience, &EvidenceAnswer::Detached)
    }
}

/// All pieces together, checked.
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
                    return Err(session.malformed("evidence without an end".to_owned()).into());
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

/// The next answer, unless it says that something cannot be done.
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

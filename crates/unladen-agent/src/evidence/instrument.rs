//! The principal type is [`FarInspection`]: groups of another host, as they are traced from here.

use std::time::Instant;

use unladen_trace::Evidence;

use super::checked::{AskedPhase, check_phases, read_evidence};
use super::message::{EvidenceAnswer, EvidenceAsk, MAX_EVIDENCE, Wanted};
use super::unable::Unable;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::clock::ClockOffset;
use crate::session::Session;
use crate::shown::shown;

/// Longest sentence of a host that is shown.
const MAX_SENTENCE: usize = 1000;

/// Pings before the first phase, by which the clock there is known.
const PINGS: usize = 8;

/// Groups of another host that are traced. Whoever has one asks and waits in turns: no answer is left for others.
#[derive(Debug)]
pub struct FarInspection<'a> {
    session: &'a Session,
    groups: usize,
    clock: ClockOffset,
    /// Those asked for since the last evidence.
    phases: Vec<AskedPhase>,
}

// === impl FarInspection ===

impl<'a> FarInspection<'a> {
    /// Has the agent attach to these groups.
    ///
    /// # Errors
    /// If it cannot, is gone, or does not answer in time.
    pub fn attach(session: &'a Session, groups: Vec<Wanted>, deadline: Instant) -> Result<Self, Unable> {
        let count = groups.len();
        let clock = session.measure_clock(PINGS, deadline)?;
        ask(session, EvidenceAsk::Attach { groups })?;
        expect(session, deadline, &EvidenceAnswer::Attached)?;
        Ok(Self { session, groups: count, clock, phases: Vec::new() })
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
    pub fn wait_begun(&mut self, deadline: Instant) -> Result<(), Unable> {
        expect(self.session, deadline, &EvidenceAnswer::Begun)
    }

    /// Asks it to count what was traced since the answer before as a phase: with requests that were sent then, ns of the
    /// monotonic clock here; or with none, cut into stretches of `request_ns`.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_phase(&mut self, on: bool, sent_ns: &[u64], request_ns: u64) -> Result<(), Unable> {
        // The clock is known better with each ping, and drifts.
        self.clock = self.session.clock().unwrap_or(self.clock);
        let there = |sent: &u64| sent.saturating_add_signed(self.clock.offset_ns);
        let sent_ns: Vec<u64> = if on { sent_ns.iter().map(there).collect() } else { Vec::new() };
        self.phases.push(AskedPhase { on, requests: sent_ns.len() as u64 });
        ask(self.session, EvidenceAsk::Phase { on, sent_ns, request_ns })
    }

    /// Waits until the phase is counted.
    ///
    /// # Errors
    /// If it could not, is gone, or does not answer in time.
    pub fn wait_counted(&mut self, deadline: Instant) -> Result<(), Unable> {
        expect(self.session, deadline, &EvidenceAnswer::Counted)
    }

    /// What was counted; the groups' weights are not in it.
    ///
    /// # Errors
    /// If it could not be told, the agent is gone, does not answer in time, or says what cannot be.
    pub fn finish(&mut self, php: bool, deadline: Instant) -> Result<Evidence, Unable> {
        ask(self.session, EvidenceAsk::Finish { php })?;
        evidence(self.session, self.groups, &std::mem::take(&mut self.phases), deadline)
    }

    /// What is known of groups without tracing them: their programs, where they live, the settings of the PHPs among
    /// them.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn describe(session: &Session, groups: Vec<Wanted>, deadline: Instant) -> Result<Evidence, Unable> {
        let count = groups.len();
        ask(session, EvidenceAsk::Describe { groups })?;
        evidence(session, count, &[], deadline)
    }

    /// Has the agent detach.
    ///
    /// # Errors
    /// If the agent is gone, or does not answer in time.
    pub fn detach(self, deadline: Instant) -> Result<(), Unable> {
        ask(self.session, EvidenceAsk::Detach)?;
        expect(self.session, deadline, &EvidenceAnswer::Detached)
    }
}

/// All pieces together, checked.
fn evidence(session: &Session, groups: usize, asked: &[AskedPhase], deadline: Instant) -> Result<Evidence, Unable> {
    let mut json = Vec::new();
    loop {
        match answer(session, deadline)? {
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
    Ok(session.send(&Ask::Evidence(ask))?)
}

/// The next answer, unless it says that something cannot be done.
fn answer(session: &Session, deadline: Instant) -> Result<EvidenceAnswer, Unable> {
    match session.recv(deadline)? {
        Answer::Evidence(EvidenceAnswer::Failed { lack, why }) => {
            Err(Unable::Lacks { lack, why: shown(&why, MAX_SENTENCE) })
        }
        Answer::Evidence(answer) => Ok(answer),
        other => Err(session.unexpected(&other).into()),
    }
}

fn expect(session: &Session, deadline: Instant, wanted: &EvidenceAnswer) -> Result<(), Unable> {
    match answer(session, deadline)? {
        answer if answer == *wanted => Ok(()),
        other => Err(unexpected(session, &other)),
    }
}

fn unexpected(session: &Session, answer: &EvidenceAnswer) -> Unable {
    session.unexpected(&Answer::Evidence(answer.clone())).into()
}

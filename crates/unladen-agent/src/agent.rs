//! The principal type is [`Agent`]: the answering end of a session.

mod error;
mod inbox;
mod outbox;

use std::fs::File;

pub use self::error::AgentError;
pub use self::outbox::Outbox;

use self::error::SILENCE;
use self::inbox::Inbox;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::codec::decode;
use crate::evidence::{EvidenceAsk, EvidenceSide};
use crate::frame::FrameError;
use crate::hello::Hello;
use crate::load::{FarLoad, LoadAsk};
use crate::probes::{FarSide, ProbeAsk};

enum Failure {
    Refused(String),
    Ends(AgentError),
}

/// The answering end of a session.
#[derive(Debug)]
pub struct Agent {
    inbox: Inbox,
    outbox: Outbox,
}

impl Agent {
    /// Serves these pipes. `at_end` is called, on another thread, two seconds after `input` has ended or has been
    /// silent for a minute: an agent that is busy or blocked then has to be ended by force.
    pub fn new(input: File, output: File, at_end: fn()) -> Self {
        Self { inbox: Inbox::new(input, SILENCE, at_end), outbox: Outbox::new(output) }
    }

    /// Answers until the pipe ends, or a bye.
    ///
    /// # Errors
    /// If a message is not understood, or nothing comes for a minute.
    pub fn run(self) -> Result<(), AgentError> {
        self.outbox.hello(&Hello::own())?;
        let Some(first) = self.inbox.next()? else { return Ok(()) };
        let hello = Hello::decode(&first).ok_or(AgentError::NoHello)?;
        if !hello.is_understood() {
            return Err(AgentError::Version { theirs: hello.version, protocol: hello.protocol });
        }
        let mut probes = FarSide::new();
        let mut evidence = EvidenceSide::new();
        let mut load = None;
        while let Some(body) = self.inbox.next()? {
            match decode(&body)? {
                Ask::Ping { id } => self.outbox.send(&Answer::Pong { id, at_ns: unladen_probe::monotonic_ns() })?,
                Ask::Probes(ask) => self.probes(&mut probes, ask)?,
                Ask::Load(ask) => self.load(&mut load, ask)?,
                Ask::Evidence(ask) => self.evidence(&mut evidence, &mut probes, ask)?,
                Ask::Bye => break,
            }
        }
        Ok(())
    }

    /// The load client starts on first use: an agent that only reads counters has no thread for it.
    fn load(&self, load: &mut Option<FarLoad>, ask: LoadAsk) -> Result<(), AgentError> {
        let far = match load.take() {
            Some(far) => far,
            None => {
                let outbox = self.outbox.clone();
                let send = move |answer| outbox.send(&Answer::Load(answer)).is_ok();
                match FarLoad::start(send) {
                    Ok(far) => far,
                    Err(error) => {
                        let why = format!("no thread can be started for a load: {error}");
                        return self.outbox.send(&Answer::Refused { id: 0, why });
                    }
                }
            }
        };
        if !far.ask(ask) {
            return Err(FrameError::End.into());
        }
        *load = Some(far);
        Ok(())
    }

    fn probes(&self, probes: &mut FarSide, ask: ProbeAsk) -> Result<(), AgentError> {
        let id = match ask {
            ProbeAsk::Read { id } => id,
            ProbeAsk::Open { .. } | ProbeAsk::Sees { .. } | ProbeAsk::Takers { .. } | ProbeAsk::Asked { .. } => 0,
        };
        let mut send = |answer| self.outbox.send(&Answer::Probes(answer)).map_err(Failure::Ends);
        self.unless_refused(id, probes.answer(ask, &mut send))
    }

    fn evidence(&self, evidence: &mut EvidenceSide, probes: &mut FarSide, ask: EvidenceAsk) -> Result<(), AgentError> {
        let mut send = |answer| self.outbox.send(&Answer::Evidence(answer)).map_err(Failure::Ends);
        self.unless_refused(0, evidence.answer(ask, probes.instrument(), &mut send))
    }

    fn unless_refused(&self, id: u64, done: Result<(), Failure>) -> Result<(), AgentError> {
        match done {
            Ok(()) => Ok(()),
            Err(Failure::Refused(why)) => self.outbox.send(&Answer::Refused { id, why }),
            Err(Failure::Ends(error)) => Err(error),
        }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

#[cfg(test)]
mod tests;

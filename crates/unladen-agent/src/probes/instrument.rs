//! The principal type is [`FarInstrument`]: the probes of another host, as they are read from here.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use unladen_probe::GroupBy;

use super::account::Account;
use super::message::{FarCounter, FarGroup, MAX_CONNECTIONS, MAX_TAKERS, Opened, ProbeAnswer, ProbeAsk};
use super::reading::FarReading;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::error::SessionError;
use crate::session::Session;
use crate::standpoint::Witness;

/// Messages that are taken after the deadline, of those that have come by then: while another host was waited for. A
/// reading has fewer parts, and one that goes on and on is late.
const MOST_AFTER: usize = 64;

/// The probes of another host.
#[derive(Debug)]
pub struct FarInstrument {
    session: Session,
    account: Account,
    /// What has come of readings that nobody waits for any more.
    begun: FarReading,
    asked: Option<(u64, Instant)>,
    next_id: u64,
}

impl FarInstrument {
    /// Has the agent open all its probes, and takes the first reading, which is the beginning of what grows.
    ///
    /// # Errors
    /// If the agent cannot, is gone, or does not answer in time.
    pub fn open(session: Session, by: GroupBy, deadline: Instant) -> Result<Self, SessionError> {
        session.send(&Ask::Probes(ProbeAsk::Open { by: by.into() }))?;
        let account = match session.recv(deadline)? {
            Answer::Probes(ProbeAnswer::Opened(opened)) => {
                Account::new(opened).map_err(|why| session.malformed(why))?
            }
            other => return Err(session.unexpected(&other)),
        };
        let mut instrument = Self { session, account, begun: FarReading::default(), asked: None, next_id: 1 };
        instrument.read(deadline)?;
        Ok(instrument)
    }

    /// Asks for a reading, and does not wait for it: so all hosts are asked at once.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_read(&mut self) -> Result<(), SessionError> {
        let id = self.next_id;
        self.next_id += 1;
        self.asked = Some((id, Instant::now()));
        self.session.send(&Ask::Probes(ProbeAsk::Read { id }))
    }

    /// The reading that was asked for last. Answers to earlier questions, which came too late, are added to it:
    /// growth is since the last reading that was waited for with success.
    ///
    /// # Errors
    /// If it does not come in time, the agent is gone, or what it says cannot be.
    pub fn wait_read(&mut self, deadline: Instant) -> Result<FarReading, SessionError> {
        let Some((wanted, asked)) = self.asked else {
            return Err(self.session.malformed("a reading that nobody has asked for".to_owned()));
        };
        let mut reading = std::mem::take(&mut self.begun);
        let mut after = 0;
        loop {
            let answer = match self.session.recv(deadline) {
                Ok(Answer::Probes(answer)) => answer,
                Ok(other) => return Err(self.session.unexpected(&other)),
                Err(error) => {
                    // What has come is not lost: it belongs to the next reading.
                    self.begun = reading;
                    return Err(error);
                }
            };
            let whole = self.account.add(&mut reading, answer).map_err(|why| self.session.malformed(why))?;
            match whole {
                Some(id) if id == wanted => {
                    self.asked = None;
                    return Ok(FarReading { round_trip: asked.elapsed(), ..reading });
                }
                Some(id) if id > wanted => {
                    return Err(self.session.malformed("an answer to a question of later".to_owned()));
                }
                _ if Instant::now() >= deadline && after == MOST_AFTER => {
                    self.begun = reading;
                    return Err(self.session.late());
                }
                _ => after += usize::from(Instant::now() >= deadline),
            }
        }
    }

    /// Asks for a reading and waits for it.
    ///
    /// # Errors
    /// As [`wait_read`](Self::wait_read).
    pub fn read(&mut self, deadline: Instant) -> Result<FarReading, SessionError> {
        self.ask_read()?;
        self.wait_read(deadline)
    }

    /// Which of these processes the agent sees: what is counted there, and here too.
    ///
    /// # Errors
    /// If the agent is gone, does not answer in time, or answers something else.
    pub fn sees(&self, witnesses: &[Witness], deadline: Instant) -> Result<Vec<bool>, SessionError> {
        self.session.send(&Ask::Probes(ProbeAsk::Sees { witnesses: witnesses.to_vec() }))?;
        match self.session.recv(deadline)? {
            Answer::Probes(ProbeAnswer::Seen(seen)) if seen.len() == witnesses.len() => Ok(seen),
            other => Err(self.session.unexpected(&other)),
        }
    }

    /// The groups of those who listen at each of these addresses there, by index; `is_wanted` is asked now and then
    /// whether the answer still is. An answer that comes later disturbs nobody.
    ///
    /// # Errors
    /// As [`sees`](Self::sees), and if it is not wanted any more.
    pub fn takers(
        &self,
        addresses: &[SocketAddr],
        deadline: Instant,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<usize>>, SessionError> {
        self.session.send(&Ask::Probes(ProbeAsk::Takers { addresses: addresses.to_vec() }))?;
        let takers = match self.session.recv_of_connections(deadline, is_wanted)? {
            Answer::Probes(ProbeAnswer::Takers(takers)) if takers.len() == addresses.len() => takers,
            other => return Err(self.session.unexpected(&other)),
        };
        // Groups that came up since the last reading have no name yet.
        let known = |group: u32| Some(group as usize).filter(|group| *group < self.groups().len());
        let of = |groups: Vec<u32>| groups.into_iter().take(MAX_TAKERS).filter_map(known).collect();
        Ok(takers.into_iter().map(of).collect())
    }

    /// Has the agent look for a third of a second whom these groups have asked for connections, and does not wait for it.
    ///
    /// # Errors
    /// If the agent is gone.
    pub fn ask_asked(&self, groups: &[usize]) -> Result<(), SessionError> {
        let groups = groups.iter().filter_map(|group| u32::try_from(*group).ok()).take(MAX_CONNECTIONS).collect();
        self.session.send(&Ask::Probes(ProbeAsk::Asked { groups }))
    }

    /// The other ends of those connections.
    ///
    /// # Errors
    /// As [`takers`](Self::takers).
    pub fn wait_asked(&self, deadline: Instant, is_wanted: &dyn Fn() -> bool) -> Result<Vec<SocketAddr>, SessionError> {
        match self.session.recv_of_connections(deadline, is_wanted)? {
            Answer::Probes(ProbeAnswer::Asked(asked)) => Ok(asked.into_iter().take(MAX_CONNECTIONS).collect()),
            other => Err(self.session.unexpected(&other)),
        }
    }

    /// All groups told so far, by index.
    pub fn groups(&self) -> &[FarGroup] {
        self.account.groups()
    }

    /// All counters, by index.
    pub fn counters(&self) -> &[FarCounter] {
        &self.account.opened().counters
    }

    /// What is open there, and what is not.
    pub fn opened(&self) -> &Opened {
        self.account.opened()
    }

    /// What a reading takes there from its beginning to its end.
    pub fn cost_wall(&self) -> Duration {
        Duration::from_nanos(self.account.opened().cost_wall_ns)
    }

    /// The session: its round trips, clock and host.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

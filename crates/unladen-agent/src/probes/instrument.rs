//! The principal type is [`FarInstrument`]: the probes of another host, read from here.

use std::net::SocketAddr;
use std::time::Instant;

use unladen_probe::{Group, GroupBy};

use super::account::{Account, FarReading};
use super::message::{FarCounter, MAX_CONNECTIONS, MAX_TAKERS, Opened, ProbeAnswer, ProbeAsk};
use crate::ask::{Answer, Ask};
use crate::error::SessionError;
use crate::session::Session;
use crate::standpoint::Witness;

/// Maximum messages taken after the deadline, which have come while another host was waited for. A reading has fewer
/// parts, and an endless one is late.
const MOST_AFTER: usize = 64;

/// The probes of another host.
#[derive(Debug)]
pub struct FarInstrument {
    session: Session,
    account: Account,
    begun: FarReading,
    asked: Option<(u64, Instant)>,
    next_id: u64,
}

impl FarInstrument {
    /// Opens all probes of the agent, and takes the first reading, the base of the growth. Fails if the agent cannot,
    /// is gone, or does not answer in time.
    pub fn open(session: Session, by: GroupBy, deadline: Instant) -> Result<Self, SessionError> {
        session.send(&Ask::Probes(ProbeAsk::Open { by }))?;
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

    /// Asks for a reading without waiting, so that all hosts are asked at once. Fails if the agent is gone.
    pub fn ask_read(&mut self) -> Result<(), SessionError> {
        let id = self.next_id;
        self.next_id += 1;
        self.asked = Some((id, Instant::now()));
        self.session.send(&Ask::Probes(ProbeAsk::Read { id }))
    }

    /// Waits for the last requested reading. Late answers to earlier questions are added to it: growth is since the
    /// last successful wait. Fails if it does not come in time, the agent is gone, or it sends something invalid.
    pub fn wait_read(&mut self, deadline: Instant) -> Result<FarReading, SessionError> {
        let Some((wanted, asked)) = self.asked else {
            return Err(self.session.malformed("a reading that was not requested".to_owned()));
        };
        let mut reading = std::mem::take(&mut self.begun);
        let mut after = 0;
        loop {
            let answer = match self.session.recv(deadline) {
                Ok(Answer::Probes(answer)) => answer,
                Ok(other) => return Err(self.session.unexpected(&other)),
                Err(error) => {
                    // The parts so far are not lost: they belong to the next reading.
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
                    return Err(self.session.malformed("an answer to a later question".to_owned()));
                }
                _ if Instant::now() >= deadline && after == MOST_AFTER => {
                    self.begun = reading;
                    return Err(self.session.late());
                }
                _ => after += usize::from(Instant::now() >= deadline),
            }
        }
    }

    /// Asks for a reading and waits for it. Fails as [`wait_read`](Self::wait_read) does.
    pub fn read(&mut self, deadline: Instant) -> Result<FarReading, SessionError> {
        self.ask_read()?;
        self.wait_read(deadline)
    }

    /// Which of these processes the agent sees: those counted both there and here. Fails if the agent is gone, does not
    /// answer in time, or answers something else.
    pub fn sees(&self, witnesses: &[Witness], deadline: Instant) -> Result<Vec<bool>, SessionError> {
        self.session.send(&Ask::Probes(ProbeAsk::Sees { witnesses: witnesses.to_vec() }))?;
        match self.session.recv(deadline)? {
            Answer::Probes(ProbeAnswer::Seen(seen)) if seen.len() == witnesses.len() => Ok(seen),
            other => Err(self.session.unexpected(&other)),
        }
    }

    /// The indices of the groups that listen at each of these addresses there; `is_wanted` is polled meanwhile. A late
    /// answer is skipped. Fails as [`sees`](Self::sees) does, and if it is no longer wanted.
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
        // Groups that appeared since the last reading have no name yet.
        let known = |group: u32| Some(group as usize).filter(|group| *group < self.groups().len());
        let of = |groups: Vec<u32>| groups.into_iter().take(MAX_TAKERS).filter_map(known).collect();
        Ok(takers.into_iter().map(of).collect())
    }

    /// Has the agent look for a third of a second for addresses that these groups have connected to, without waiting.
    /// Fails if the agent is gone.
    pub fn ask_asked(&self, groups: &[usize]) -> Result<(), SessionError> {
        let groups = groups.iter().filter_map(|group| u32::try_from(*group).ok()).take(MAX_CONNECTIONS).collect();
        self.session.send(&Ask::Probes(ProbeAsk::Asked { groups }))
    }

    /// The remote ends of those connections. Fails as [`takers`](Self::takers) does.
    pub fn wait_asked(&self, deadline: Instant, is_wanted: &dyn Fn() -> bool) -> Result<Vec<SocketAddr>, SessionError> {
        match self.session.recv_of_connections(deadline, is_wanted)? {
            Answer::Probes(ProbeAnswer::Asked(asked)) => Ok(asked.into_iter().take(MAX_CONNECTIONS).collect()),
            other => Err(self.session.unexpected(&other)),
        }
    }

    /// All groups received so far, by index.
    pub fn groups(&self) -> &[Group] {
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

    /// The session: its round trips, clock and host.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

//! The principal type is [`FarInstrument`]: the probes of another host, as they are read from here.

use std::time::{Duration, Instant};

use unladen_probe::GroupBy;

use super::message::{
    FarCounter, FarGroup, FarGroupKind, FarGrown, MAX_COUNTERS, MAX_GROUPS, MAX_NAME, MAX_TEXT, Opened, ProbeAnswer,
    ProbeAsk,
};
use super::reading::FarReading;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::error::SessionError;
use crate::session::Session;
use crate::shown::shown;

/// Most amounts in a reading: far above what a thousand busy groups have.
const MAX_AMOUNTS: usize = 1_000_000;

/// Most sentences about what is not counted.
const MAX_REMARKS: usize = 256;

/// The probes of another host.
#[derive(Debug)]
pub struct FarInstrument {
    session: Session,
    opened: Opened,
    groups: Vec<FarGroup>,
    asked: Option<(u64, Instant)>,
    next_id: u64,
    last_at_ns: u64,
}

impl FarInstrument {
    /// Has the agent open all its probes, and takes the first reading, which is the beginning of what grows.
    ///
    /// # Errors
    /// If the agent cannot, is gone, or does not answer in time.
    pub fn open(session: Session, by: GroupBy, deadline: Instant) -> Result<Self, SessionError> {
        session.send(&Ask::Probes(ProbeAsk::Open { by: by.into() }))?;
        let opened = match session.recv(deadline)? {
            Answer::Probes(ProbeAnswer::Opened(opened)) => checked(opened).map_err(|why| session.malformed(why))?,
            other => return Err(session.unexpected(&other)),
        };
        let mut instrument = Self { session, opened, groups: Vec::new(), asked: None, next_id: 1, last_at_ns: 0 };
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
        let mut reading = FarReading::default();
        loop {
            match self.session.recv(deadline)? {
                Answer::Probes(ProbeAnswer::Part { id, new_groups, grown }) if id <= wanted => {
                    self.take(&mut reading, new_groups, grown).map_err(|why| self.session.malformed(why))?;
                }
                Answer::Probes(ProbeAnswer::Reading { id, at_ns, new_groups, grown, lost, own_cpu_ns })
                    if id <= wanted =>
                {
                    self.take(&mut reading, new_groups, grown).map_err(|why| self.session.malformed(why))?;
                    if at_ns < self.last_at_ns {
                        return Err(self.session.malformed("a clock that goes backwards".to_owned()));
                    }
                    self.last_at_ns = at_ns;
                    reading.lost = reading.lost.saturating_add(lost);
                    if id == wanted {
                        self.asked = None;
                        let round_trip = asked.elapsed();
                        return Ok(FarReading { at_ns, own_cpu_ns, round_trip, ..reading });
                    }
                }
                other => return Err(self.session.unexpected(&other)),
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

    /// All groups told so far, by index.
    pub fn groups(&self) -> &[FarGroup] {
        &self.groups
    }

    /// All counters, by index.
    pub fn counters(&self) -> &[FarCounter] {
        &self.opened.counters
    }

    /// What is open there, and what is not.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// What a reading takes there from its beginning to its end.
    pub fn cost_wall(&self) -> Duration {
        Duration::from_nanos(self.opened.cost_wall_ns)
    }

    /// The session: its round trips, clock and host.
    pub fn session(&self) -> &Session {
        &self.session
    }

    fn take(&mut self, reading: &mut FarReading, groups: Vec<FarGroup>, grown: Vec<FarGrown>) -> Result<(), String> {
        if self.groups.len() + groups.len() > MAX_GROUPS {
            return Err(format!("more than {MAX_GROUPS} groups"));
        }
        for group in groups {
            self.groups.push(checked_group(group)?);
        }
        for FarGrown { group, counters } in grown {
            let group = group as usize;
            if group >= self.groups.len() {
                return Err(format!("group {group} of {}", self.groups.len()));
            }
            for (counter, amount) in counters {
                let counter = usize::from(counter);
                if counter >= self.opened.counters.len() {
                    return Err(format!("counter {counter} of {}", self.opened.counters.len()));
                }
                if reading.grown.len() == MAX_AMOUNTS {
                    return Err(format!("more than {MAX_AMOUNTS} amounts in a reading"));
                }
                reading.grown.push((group, counter, amount));
            }
        }
        Ok(())
    }
}

/// What may be shown and kept of what an agent says of its probes.
fn checked(opened: Opened) -> Result<Opened, String> {
    if opened.counters.len() > MAX_COUNTERS {
        return Err(format!("{} counters, where at most {MAX_COUNTERS} are allowed", opened.counters.len()));
    }
    let counters = opened.counters.into_iter().map(checked_counter).collect::<Result<Vec<_>, _>>()?;
    let unavailable = opened.unavailable.into_iter().take(MAX_REMARKS);
    let shortfalls = opened.shortfalls.into_iter().take(MAX_REMARKS);
    Ok(Opened {
        counters,
        unavailable: unavailable.map(|(name, why)| (shown(&name, MAX_NAME), shown(&why, MAX_TEXT))).collect(),
        shortfalls: shortfalls
            .map(|short| super::message::FarShortfall {
                missing: shown(&short.missing, MAX_TEXT),
                takes: shown(&short.takes, MAX_TEXT),
            })
            .collect(),
        kernel: shown(&opened.kernel, MAX_NAME),
        ..opened
    })
}

fn checked_counter(counter: FarCounter) -> Result<FarCounter, String> {
    let word = |text: &str| {
        !text.is_empty()
            && text.len() <= MAX_NAME
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.".contains(&b))
    };
    if !word(&counter.name) {
        return Err(format!("{:?} as the name of a counter", shown(&counter.name, MAX_NAME)));
    }
    if counter.known_unit().is_none() {
        return Err(format!("{:?} as the unit of {}", shown(&counter.unit, MAX_NAME), counter.name));
    }
    Ok(FarCounter { title: shown(&counter.title, MAX_NAME), meaning: shown(&counter.meaning, MAX_TEXT), ..counter })
}

fn checked_group(group: FarGroup) -> Result<FarGroup, String> {
    if group.name.is_empty() || group.name.len() > MAX_NAME {
        return Err(format!("a group's name of {} bytes", group.name.len()));
    }
    let kind = match group.kind {
        FarGroupKind::Unit { cgroup: Some(path) } if path.len() > MAX_TEXT || path.contains('\0') => {
            FarGroupKind::Unit { cgroup: None }
        }
        kind => kind,
    };
    Ok(FarGroup { name: shown(&group.name, MAX_NAME), kind })
}

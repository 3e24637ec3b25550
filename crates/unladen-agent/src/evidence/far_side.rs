//! The principal type is [`EvidenceSide`]: the tracer of the agent's machine.

use std::io::{self, Write};

use unladen_probe::{
    GroupId, Inspection, InspectionError, Instrument, TracerConfig, group_seen, monotonic_ns, php_settings,
};
use unladen_trace::{Evidence, Interval, Window};

use super::checked::has_room;
use super::message::{
    EvidenceAnswer, EvidenceAsk, FarLack, MAX_EVIDENCE, MAX_PHASES, MAX_REQUESTS, MAX_WANTED, Wanted,
};
use crate::frame::in_pieces;

/// Maximum events that wait for the end of a phase. Each takes up to some hundred bytes, and an agent is a guest.
const MOST_EVENTS: usize = 500_000;

/// Traces groups of this machine for another one. Nothing is attached at first.
#[derive(Default)]
pub struct EvidenceSide {
    open: Option<Open>,
}

struct Open {
    inspection: Inspection,
    groups: Vec<(GroupId, bool)>,
    /// Start of the current phase: ns of the monotonic clock.
    since_ns: u64,
    phases: usize,
}

impl EvidenceSide {
    /// Answers, in one message or several. Groups are indices of this instrument's readings. Fails with a sentence for
    /// the asking side about a forbidden question, or with an error of `send`.
    pub fn answer<E: From<String>>(
        &mut self,
        ask: EvidenceAsk,
        instrument: Option<&mut Instrument>,
        send: &mut dyn FnMut(EvidenceAnswer) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(instrument) = instrument else { return Err("the probes are not open yet".to_owned().into()) };
        if let EvidenceAsk::Attach { groups } = &ask {
            // Earlier tracers are detached first: two would disturb each other.
            self.open = None;
            let groups = named(instrument, groups)?;
            return match Open::attach(instrument, groups) {
                Ok(open) => {
                    self.open = Some(open);
                    send(EvidenceAnswer::Attached)
                }
                Err(error) => send(failed(&error)),
            };
        }
        if let EvidenceAsk::Describe { groups } = &ask {
            let groups = named(instrument, groups)?;
            let mut evidence = described(instrument, &groups);
            let groups: Vec<GroupId> = groups.into_iter().map(|(group, _)| group).collect();
            php_settings(instrument, &groups, &mut evidence);
            return told(evidence, send);
        }
        let Some(open) = &mut self.open else { return Err("nothing is attached".to_owned().into()) };
        let done = match ask {
            EvidenceAsk::Begin => open.begin(instrument).map(|()| EvidenceAnswer::Begun),
            EvidenceAsk::Phase { sent_ns, .. } if sent_ns.len() > MAX_REQUESTS => {
                return Err(
                    format!("{} requests in a phase, but at most {MAX_REQUESTS} are counted", sent_ns.len()).into()
                );
            }
            EvidenceAsk::Phase { .. } if open.phases == MAX_PHASES => {
                return Err(format!("more than {MAX_PHASES} phases").into());
            }
            EvidenceAsk::Phase { on, sent_ns, request_ns } => {
                open.phase(on, sent_ns, request_ns).map(|()| EvidenceAnswer::Counted)
            }
            EvidenceAsk::Finish { php } => return open.finish(instrument, php, send),
            EvidenceAsk::Detach | EvidenceAsk::Attach { .. } | EvidenceAsk::Describe { .. } => {
                self.open = None;
                return send(EvidenceAnswer::Detached);
            }
        };
        match done {
            Ok(answer) => send(answer),
            Err(error) => {
                self.open = None;
                send(failed(&error))
            }
        }
    }
}

impl Open {
    fn attach(instrument: &mut Instrument, groups: Vec<(GroupId, bool)>) -> Result<Self, InspectionError> {
        let config = TracerConfig { most_events: MOST_EVENTS, ..TracerConfig::default() };
        let inspection =
            Inspection::open(&config, instrument, groups.iter().map(|(group, _)| *group).collect(), Vec::new())?;
        Ok(Self { inspection, groups, since_ns: monotonic_ns(), phases: 0 })
    }

    fn begin(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        self.inspection.watch(instrument)?;
        self.since_ns = monotonic_ns();
        self.inspection.discard()
    }

    fn phase(&mut self, on: bool, sent_ns: Vec<u64>, request_ns: u64) -> Result<(), InspectionError> {
        let (begin_ns, end_ns) = (self.since_ns, monotonic_ns());
        let window = if on {
            // Times converted from another clock are moved into the phase, whose bounds only this side knows.
            let mut sent_ns: Vec<u64> = sent_ns.into_iter().map(|sent| sent.clamp(begin_ns, end_ns)).collect();
            sent_ns.sort_unstable();
            Window { on, begin_ns, end_ns, sent_ns }
        } else {
            let least = end_ns.saturating_sub(begin_ns) / MAX_REQUESTS as u64;
            Window::idle(begin_ns, end_ns, request_ns.max(least).max(1))
        };
        self.inspection.phase(&window)?;
        self.since_ns = end_ns;
        self.phases += 1;
        Ok(())
    }

    fn finish<E>(
        &mut self,
        instrument: &Instrument,
        php: bool,
        send: &mut dyn FnMut(EvidenceAnswer) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut evidence = described(instrument, &self.groups);
        self.inspection.finish(&mut evidence);
        if php {
            self.inspection.php_settings(instrument, &mut evidence);
        }
        self.phases = 0;
        self.since_ns = monotonic_ns();
        told(evidence, send)
    }
}

fn described(instrument: &Instrument, groups: &[(GroupId, bool)]) -> Evidence {
    let seen = |(group, follows): &(GroupId, bool)| {
        let mut seen = group_seen(instrument, *group, &[]);
        // Only the asking side knows the amount.
        seen.cpu = follows.then(Interval::default);
        seen
    };
    Evidence { groups: groups.iter().map(seen).collect(), ..Evidence::default() }
}

/// Sends it in pieces, without private parts.
fn told<E>(mut evidence: Evidence, send: &mut dyn FnMut(EvidenceAnswer) -> Result<(), E>) -> Result<(), E> {
    evidence.leave_out_values();
    let mut json = Bounded::default();
    if serde_json::to_writer(&mut json, &evidence).is_err() || !has_room(&json.0) {
        let why = "more was seen there than can be reported".to_owned();
        return send(EvidenceAnswer::Failed { lack: FarLack::Other, why });
    }
    for (piece, last) in in_pieces(&json.0) {
        send(EvidenceAnswer::Piece { piece, last })?;
    }
    Ok(())
}

fn named(instrument: &Instrument, wanted: &[Wanted]) -> Result<Vec<(GroupId, bool)>, String> {
    if wanted.len() > MAX_WANTED {
        return Err(format!("{} groups, but at most {MAX_WANTED} are traced", wanted.len()));
    }
    let known: Vec<GroupId> = instrument.groups().map(|(id, _)| id).collect();
    let of = |wanted: &Wanted| {
        let id = known.get(wanted.group as usize).ok_or_else(|| format!("there is no group {}", wanted.group))?;
        Ok((*id, wanted.follows))
    };
    wanted.iter().map(of).collect()
}

fn failed(error: &InspectionError) -> EvidenceAnswer {
    EvidenceAnswer::Failed { lack: error.into(), why: error.to_string() }
}

/// Evidence as JSON, up to a maximum length.
#[derive(Debug, Default)]
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_EVIDENCE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

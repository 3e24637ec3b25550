//! The principal type is [`FarSide`]: the agent's own probes, and its answers about them.

use std::collections::BTreeMap;
use std::time::Duration;

use unladen_machine::{MachineClock, MachineReading};
use unladen_probe::{Group, GroupKind, Instrument, Own, Reading};

use super::connections::Connections;
use super::message::{
    FarCounter, FarGrown, FarShortfall, MAX_CONNECTIONS, MAX_GROUPS, MAX_WITNESSES, Opened, ProbeAnswer, ProbeAsk, sent,
};
use crate::standpoint::Standpoint;

/// Length at which a part of a reading is sent: well below a frame, as one more group may follow.
const PART: usize = 1 << 19;

/// Maximum bytes of a group's index and its number of counters.
const GROUP_BYTES: usize = 10;
const AMOUNT_BYTES: usize = 13;

const NOT_OPEN: &str = "the probes are not open yet";

const FURTHER: &str = "further groups";

/// Reads the counters of this machine for another one. Nothing is open at first.
#[derive(Default)]
pub struct FarSide {
    open: Option<Open>,
}

struct Open {
    instrument: Instrument,
    last: Reading,
    clock: MachineClock,
    machine: MachineReading,
    told: usize,
}

#[derive(Default)]
struct Part {
    new_groups: Vec<Group>,
    grown: Vec<FarGrown>,
    bytes: usize,
}

impl FarSide {
    /// The instrument, once it is open.
    pub fn instrument(&mut self) -> Option<&mut Instrument> {
        self.open.as_mut().map(|open| &mut open.instrument)
    }

    /// Answers, in one message or several. Fails with a sentence for the asking side, or with an error of `send`.
    pub fn answer<E: From<String>>(
        &mut self,
        ask: ProbeAsk,
        send: &mut dyn FnMut(ProbeAnswer) -> Result<(), E>,
    ) -> Result<(), E> {
        match ask {
            ProbeAsk::Open { .. } if self.open.is_some() => Err("the probes are open already".to_owned().into()),
            ProbeAsk::Open { by } => {
                let (open, opened) = Open::with(by).map_err(|error| error.to_string())?;
                self.open = Some(open);
                send(ProbeAnswer::Opened(opened))
            }
            ProbeAsk::Sees { witnesses } if witnesses.len() > MAX_WITNESSES => {
                Err(format!("{} processes were requested; at most {MAX_WITNESSES} are looked up", witnesses.len())
                    .into())
            }
            ProbeAsk::Sees { witnesses } => send(ProbeAnswer::Seen(Standpoint::sees(&witnesses))),
            ProbeAsk::Takers { addresses } => {
                let open = self.opened()?;
                let count = addresses.len().min(MAX_CONNECTIONS);
                send(ProbeAnswer::Takers(Connections::of(&open.instrument).takers(&addresses[..count])))
            }
            ProbeAsk::Asked { groups } => {
                let open = self.opened()?;
                let count = groups.len().min(MAX_CONNECTIONS);
                send(ProbeAnswer::Asked(Connections::of(&open.instrument).asked(&groups[..count])))
            }
            ProbeAsk::Read { id } => match &mut self.open {
                Some(open) => open.read(id, send),
                None => Err(NOT_OPEN.to_owned().into()),
            },
        }
    }

    fn opened(&self) -> Result<&Open, String> {
        self.open.as_ref().ok_or_else(|| NOT_OPEN.to_owned())
    }
}

impl Open {
    fn with(by: unladen_probe::GroupBy) -> Result<(Self, Opened), unladen_probe::ProbeError> {
        let mut instrument = Instrument::open_with(by, Own::new().with_session())?;
        let cost = instrument.calibrate()?;
        let last = instrument.read()?;
        let opened = Opened {
            counters: instrument.counters().iter().map(FarCounter::from).collect(),
            unavailable: instrument.unavailable().iter().map(|(name, why)| ((*name).to_owned(), why.clone())).collect(),
            shortfalls: instrument
                .shortfalls()
                .iter()
                .map(|short| FarShortfall { missing: short.missing.to_owned(), takes: short.takes.to_owned() })
                .collect(),
            cost_cpu_ns: nanoseconds(cost.cpu),
            cost_wall_ns: nanoseconds(cost.wall),
            processors: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
            kernel: kernel(),
            standpoint: Standpoint::here(),
        };
        let mut clock = MachineClock::open();
        let machine = clock.read();
        Ok((Self { instrument, last, clock, machine, told: 0 }, opened))
    }

    fn read<E: From<String>>(&mut self, id: u64, send: &mut dyn FnMut(ProbeAnswer) -> Result<(), E>) -> Result<(), E> {
        let reading = self.instrument.read().map_err(|error| error.to_string())?;
        let machine = self.clock.read();
        let times = (&machine.since(&self.machine)).into();
        self.machine = machine;
        let mut part = Part::default();
        let known = self.instrument.groups().count();
        for (_, group) in self.instrument.groups().take(known.min(MAX_GROUPS)).skip(self.told) {
            let last_one = self.told + 1 == MAX_GROUPS;
            part.group(if last_one { further() } else { sent(group) });
            self.told += 1;
            part.send_if_long(id, send)?;
        }
        let mut rows: BTreeMap<u32, BTreeMap<u16, u64>> = BTreeMap::new();
        for (group, counter, amount) in reading.since(&self.last) {
            let group = group.index().min(MAX_GROUPS - 1) as u32;
            *rows.entry(group).or_default().entry(counter.index() as u16).or_default() += amount;
        }
        for (group, counters) in rows {
            part.grown(FarGrown { group, counters: counters.into_iter().collect() });
            part.send_if_long(id, send)?;
        }
        self.last = reading;
        send(ProbeAnswer::Reading {
            id,
            at_ns: self.instrument.started_ns() + self.last.at_ns(),
            new_groups: part.new_groups,
            grown: part.grown,
            lost: self.instrument.newly_lost(),
            times,
            own_cpu_ns: nanoseconds(self.instrument.own_cpu()),
        })
    }
}

impl Part {
    fn group(&mut self, group: Group) {
        let path = match &group.kind {
            GroupKind::Unit { cgroup: Some(path) } => path.len(),
            _ => 0,
        };
        self.bytes += GROUP_BYTES + group.name.len() + path;
        self.new_groups.push(group);
    }

    fn grown(&mut self, grown: FarGrown) {
        self.bytes += GROUP_BYTES + AMOUNT_BYTES * grown.counters.len();
        self.grown.push(grown);
    }

    fn send_if_long<E>(&mut self, id: u64, send: &mut dyn FnMut(ProbeAnswer) -> Result<(), E>) -> Result<(), E> {
        if self.bytes < PART {
            return Ok(());
        }
        let Self { new_groups, grown, .. } = std::mem::take(self);
        send(ProbeAnswer::Part { id, new_groups, grown })
    }
}

fn further() -> Group {
    Group { name: FURTHER.to_owned(), kind: GroupKind::Processes }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn kernel() -> String {
    nix::sys::utsname::uname().map_or_else(|_| String::new(), |names| names.release().to_string_lossy().into_owned())
}

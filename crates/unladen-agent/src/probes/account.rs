//! The principal type is [`Account`]: checked messages of another host's agent about its counters.

use std::time::Duration;

use unladen_machine::MachineTimes;
use unladen_probe::{Group, GroupKind};

use super::message::{
    FarCounter, FarGrown, FarShortfall, MAX_COUNTERS, MAX_GROUPS, MAX_NAME, MAX_TEXT, Opened, ProbeAnswer,
};
use crate::shown::shown;

/// Maximum amounts in a reading: more than a thousand busy groups have.
const MAX_AMOUNTS: usize = 100_000;

/// Maximum number and length of sentences about what is not counted: all become warnings of a report.
const MAX_REMARKS: usize = 64;
const MAX_REMARK: usize = 1_000;

/// Checked messages of another host's agent. The agent may be faulty or hostile: whatever it sends, this stays within
/// its bounds, and its content is safe to display and to use as an index.
#[derive(Debug)]
pub struct Account {
    opened: Opened,
    groups: Vec<Group>,
    last_at_ns: u64,
}

impl Account {
    /// Creates it from the open counters. Fails with what is invalid, in words.
    pub fn new(opened: Opened) -> Result<Self, String> {
        Ok(Self { opened: checked(opened)?, groups: Vec::new(), last_at_ns: 0 })
    }

    /// What is open there.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// All groups received so far, by index.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Adds an answer to a reading; returns the question's id if the reading is complete. Fails with what is invalid,
    /// in words.
    pub fn add(&mut self, reading: &mut FarReading, answer: ProbeAnswer) -> Result<Option<u64>, String> {
        match answer {
            ProbeAnswer::Opened(_) => Err("its probes were opened twice".to_owned()),
            ProbeAnswer::Seen(_) | ProbeAnswer::Takers(_) | ProbeAnswer::Asked(_) => {
                Err("an answer that is not a reading".to_owned())
            }
            ProbeAnswer::Part { new_groups, grown, .. } => {
                self.take(reading, new_groups, grown)?;
                Ok(None)
            }
            ProbeAnswer::Reading { id, at_ns, new_groups, grown, lost, times, own_cpu_ns } => {
                self.take(reading, new_groups, grown)?;
                if at_ns < self.last_at_ns {
                    return Err("a clock that went backwards".to_owned());
                }
                self.last_at_ns = at_ns;
                reading.at_ns = at_ns;
                reading.times = reading.times.plus(times.into());
                reading.own_cpu_ns = own_cpu_ns;
                reading.lost = reading.lost.saturating_add(lost);
                Ok(Some(id))
            }
        }
    }

    fn take(&mut self, reading: &mut FarReading, groups: Vec<Group>, grown: Vec<FarGrown>) -> Result<(), String> {
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

fn checked(opened: Opened) -> Result<Opened, String> {
    if opened.counters.len() > MAX_COUNTERS {
        return Err(format!("{} counters, but at most {MAX_COUNTERS} are allowed", opened.counters.len()));
    }
    let counters = opened.counters.into_iter().map(checked_counter).collect::<Result<Vec<_>, _>>()?;
    let unavailable = opened.unavailable.into_iter().take(MAX_REMARKS);
    let shortfalls = opened.shortfalls.into_iter().take(MAX_REMARKS);
    Ok(Opened {
        counters,
        unavailable: unavailable.map(|(name, why)| (shown(&name, MAX_NAME), shown(&why, MAX_REMARK))).collect(),
        shortfalls: shortfalls
            .map(|short| FarShortfall {
                missing: shown(&short.missing, MAX_REMARK),
                takes: shown(&short.takes, MAX_REMARK),
            })
            .collect(),
        kernel: shown(&opened.kernel, MAX_NAME),
        standpoint: opened.standpoint.checked(),
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

fn checked_group(group: Group) -> Result<Group, String> {
    if group.name.is_empty() || group.name.len() > MAX_NAME {
        return Err(format!("a group's name of {} bytes", group.name.len()));
    }
    let kind = match group.kind {
        GroupKind::Unit { cgroup: Some(path) } if path.len() > MAX_TEXT || path.contains('\0') => {
            GroupKind::Unit { cgroup: None }
        }
        kind => kind,
    };
    Ok(Group { name: shown(&group.name, MAX_NAME), kind })
}

/// A reading of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FarReading {
    /// ns of that host's own monotonic clock.
    pub at_ns: u64,
    /// Group, counter (both by index), and growth since the previous reading.
    pub grown: Vec<(usize, usize, u64)>,
    /// Exit records lost since then; if not 0, the counts are incomplete.
    pub lost: u64,
    /// The machine's times since the previous reading.
    pub times: MachineTimes,
    /// CPU of all readings there, in ns.
    pub own_cpu_ns: u64,
    pub round_trip: Duration,
}

#[cfg(test)]
mod tests;

//! The principal type is [`Merge`]: the reports of all agents, put together.

use std::time::{Duration, Instant};

use unladen_agent::shown;
use unladen_load::{End, LoadEnd};
use unladen_report::{Lost, nanos};

use super::far_agent::{LONGEST_SENTENCE, Told};
use crate::exit::Failure;
use crate::load::agent_part::AgentPart;
use crate::load::ledger::Ledger;

pub(super) struct Merge {
    parts: Vec<AgentPart>,
    started: Instant,
}

impl Merge {
    pub(super) fn new(parts: Vec<AgentPart>, started: Instant) -> Self {
        Self { parts, started }
    }

    pub(super) fn take(&mut self, index: usize, told: Told, ledger: &mut dyn Ledger) -> Result<(), Failure> {
        let Some(part) = self.parts.get_mut(index) else { return Ok(()) };
        match told {
            Told::Records(records) => {
                for record in &records {
                    part.record(record);
                    ledger.record(record)?;
                }
            }
            Told::Summary(summary) => {
                part.summarise(&summary);
                ledger.summarise(&summary);
            }
            Told::Look(end, times) => part.machine.push(end, times),
            Told::Ended(end) => part.end = Some(*end),
            Told::Lost(heard, why) => {
                part.lost = Some(Lost { at_ns: nanos(heard.saturating_duration_since(self.started)), why });
            }
        }
        Ok(())
    }

    /// The load's end, and each agent's part.
    pub(super) fn end(self) -> (LoadEnd, Vec<AgentPart>) {
        let ends: Vec<&LoadEnd> = self.parts.iter().filter_map(|part| part.end.as_ref()).collect();
        (together(&ends), self.parts)
    }
}

/// Combines the ends of all shares. The busiest thread stands for all: whether one had no time left is judged per
/// agent.
fn together(ends: &[&LoadEnd]) -> LoadEnd {
    let sum = |count: fn(&LoadEnd) -> u64| ends.iter().map(|end| count(end)).fold(0, u64::saturating_add);
    let time =
        |of: fn(&LoadEnd) -> Duration| ends.iter().map(|end| of(end)).fold(Duration::ZERO, Duration::saturating_add);
    let is = |end: End| ends.iter().any(|of| of.ended == end);
    let mut first_errors = std::collections::BTreeMap::new();
    for (kind, text) in ends.iter().flat_map(|end| &end.first_errors) {
        first_errors.entry(*kind).or_insert_with(|| shown(text, LONGEST_SENTENCE));
    }
    LoadEnd {
        ended: match () {
            () if is(End::Cancelled) => End::Cancelled,
            () if !ends.is_empty() && ends.iter().all(|end| end.ended == End::Requests) => End::Requests,
            () => End::Until,
        },
        sent: sum(|end| end.sent),
        unsent: sum(|end| end.unsent),
        abandoned: sum(|end| end.abandoned),
        bytes_sent: sum(|end| end.bytes_sent),
        bytes_received: sum(|end| end.bytes_received),
        connections_opened: sum(|end| end.connections_opened),
        closed_by_server: sum(|end| end.closed_by_server),
        retries: sum(|end| end.retries),
        cpu: time(|end| end.cpu),
        worked: ends.iter().map(|end| end.worked).max().unwrap_or_default(),
        paced: time(|end| end.paced),
        first_errors,
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Processes`]: known mappings of sampled processes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use unladen_probe::StackSample;

use super::mappings::{Mapping, Mappings};
use super::places::{Places, StackIndex};

/// Shortest time before a process with unknown code is examined again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Beyond these, processes not examined for [`FORGOTTEN`] are dropped.
const MOST_KNOWN: usize = 4096;

const FORGOTTEN: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Processes(HashMap<u32, Known>);

#[derive(Debug)]
struct Known {
    comm: String,
    mappings: Mappings,
    at: Instant,
}

impl Processes {
    pub(super) fn stack_of(&mut self, sample: &StackSample, places: &mut Places) -> StackIndex {
        let mut stack: Vec<u32> = before_calls(&sample.kernel).map(|address| places.kernel(address)).collect();
        if let Some(leaf) = sample.user.first() {
            self.look(sample, *leaf);
            match self.mappings(sample, *leaf) {
                Some(mappings) => stack.extend(
                    before_calls(&sample.user)
                        // If the program keeps something else than frames, the rest is no code, or not what was called.
                        .map_while(|address| Some((address, mappings.at(address)?)))
                        .map(|(address, mapping)| place(places, sample, mapping, address)),
                ),
                None => stack.push(places.ended(sample.pid, &sample.comm)),
            }
        }
        places.stack(stack)
    }

    fn look(&mut self, sample: &StackSample, leaf: u64) {
        if let Some(known) = self.0.get(&sample.pid)
            && (known.mappings.at(leaf).is_some() || known.at.elapsed() < LOOK_AGAIN)
        {
            return;
        }
        if self.0.len() >= MOST_KNOWN {
            self.0.retain(|_, known| known.at.elapsed() < FORGOTTEN);
        }
        let comm = sample.comm.clone();
        match (Mappings::of(sample.pid), self.0.get_mut(&sample.pid)) {
            (Some(mappings), _) => {
                self.0.insert(sample.pid, Known { comm, mappings, at: Instant::now() });
            }
            (None, Some(known)) => known.at = Instant::now(),
            // It was too short-lived; the process that forked it may exist, and share its code.
            (None, None) => self.look_at_parent(sample.parent),
        }
    }

    fn look_at_parent(&mut self, pid: u32) {
        if self.0.get(&pid).is_some_and(|known| known.at.elapsed() < LOOK_AGAIN) {
            return;
        }
        let comm = std::fs::read_to_string(format!("/proc/{pid}/comm"));
        if let (Ok(comm), Some(mappings)) = (comm, Mappings::of(pid)) {
            let comm = comm.trim_end_matches('\n').to_owned();
            self.0.insert(pid, Known { comm, mappings, at: Instant::now() });
        }
    }

    /// The mappings with the address: a process that ended before it was examined uses its parent's, if it was forked
    /// by that and has run no other program.
    fn mappings(&self, sample: &StackSample, leaf: u64) -> Option<&Mappings> {
        let own = self.0.get(&sample.pid);
        let parent = || self.0.get(&sample.parent).filter(|parent| parent.comm == sample.comm);
        own.or_else(parent).map(|known| &known.mappings).filter(|mappings| mappings.at(leaf).is_some())
    }
}

fn place(places: &mut Places, sample: &StackSample, mapping: &Mapping, address: u64) -> u32 {
    places.mapped(sample.pid, &sample.comm, &mapping.backing, mapping.offset_of(address), address)
}

/// All except the first are return addresses, which can lie in the next function: the call is before that.
fn before_calls(addresses: &[u64]) -> impl Iterator<Item = u64> {
    addresses.iter().enumerate().map(|(index, address)| if index == 0 { *address } else { address.saturating_sub(1) })
}

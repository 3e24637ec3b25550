//! The principal type is [`FairQueue`]: a line of requests for each client, served in turns.
//!
//! One from each line in turn (round robin; with equal weights that is the deficit round robin of RFC 8290): a client
//! with a hundred requests gets no more of the application than one with a single request, if both have one waiting.
//!
//! A shared answer is asked for once, but stands in the lines of all who wait for it, and goes at the first of their
//! turns. So a popular page comes sooner without a rule of its own, and joining a greedy client's request does not mean
//! waiting for that client's turn.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Instant;

use super::Flow;

/// Most lines that one request stands in: by then it is next anyway.
const LINES: usize = 16;

#[derive(Debug)]
pub(super) struct FairQueue<T> {
    /// By number, and so by age.
    waiting: BTreeMap<u64, Waiting<T>>,
    /// No line is empty.
    lines: HashMap<Flow, VecDeque<u64>>,
    /// Each of `lines` once; the first is next.
    turns: VecDeque<Flow>,
    shared: HashMap<Box<[u8]>, u64>,
    next: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    item: T,
    since: Instant,
    flows: Vec<Flow>,
    key: Option<Box<[u8]>>,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self {
            waiting: BTreeMap::new(),
            lines: HashMap::new(),
            turns: VecDeque::new(),
            shared: HashMap::new(),
            next: 0,
        }
    }
}

impl<T> FairQueue<T> {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Enqueues at the end of its client's line; returns the number. `key` is what others may join it by.
    pub(super) fn push(&mut self, now: Instant, flow: Flow, key: Option<&[u8]>, item: T) -> u64 {
        let number = self.next;
        self.next += 1;
        let key: Option<Box<[u8]>> = key.map(Into::into);
        if let Some(key) = &key {
            self.shared.insert(key.clone(), number);
        }
        self.waiting.insert(number, Waiting { item, since: now, flows: Vec::with_capacity(1), key });
        self.stand(number, flow);
        number
    }

    /// Puts the request with this key into another client's line too.
    pub(super) fn join(&mut self, key: &[u8], flow: Flow) {
        if let Some(number) = self.shared.get(key) {
            self.stand(*number, flow);
        }
    }

    fn stand(&mut self, number: u64, flow: Flow) {
        let Some(waiting) = self.waiting.get_mut(&number) else { return };
        if waiting.flows.contains(&flow) || waiting.flows.len() >= LINES {
            return;
        }
        waiting.flows.push(flow);
        let line = self.lines.entry(flow).or_default();
        if line.is_empty() {
            self.turns.push_back(flow);
        }
        line.push_back(number);
    }

    /// Takes the oldest or newest of the line whose turn it is, and since when it waited.
    pub(super) fn take(&mut self, newest: bool) -> Option<(T, Instant)> {
        let flow = *self.turns.front()?;
        let line = self.lines.get(&flow)?;
        let number = *if newest { line.back() } else { line.front() }?;
        self.turns.rotate_left(1);
        self.remove(number)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<(T, Instant)> {
        let Waiting { item, since, flows, key } = self.waiting.remove(&number)?;
        for flow in flows {
            let Entry::Occupied(mut line) = self.lines.entry(flow) else { continue };
            line.get_mut().retain(|other| *other != number);
            if line.get().is_empty() {
                line.remove();
                // The line that waited longest is at the front; one just taken has gone to the back.
                let is_last = self.turns.back() == Some(&flow);
                let place = if is_last {
                    Some(self.turns.len() - 1)
                } else {
                    self.turns.iter().position(|other| *other == flow)
                };
                place.and_then(|place| self.turns.remove(place));
            }
        }
        if let Some(key) = key
            && self.shared.get(&key) == Some(&number)
        {
            self.shared.remove(&key);
        }
        Some((item, since))
    }

    pub(super) fn oldest(&self) -> Option<(u64, Instant)> {
        self.waiting.first_key_value().map(|(number, waiting)| (*number, waiting.since))
    }

    /// Oldest request of the longest line that nobody else waits for, if that line is longer by more than one than this
    /// client's. If all are shared, the least shared.
    pub(super) fn surplus(&self, flow: Flow) -> Option<u64> {
        let own = self.lines.get(&flow).map_or(0, VecDeque::len);
        // Deterministic among lines of equal length.
        let longest = self.lines.values().max_by_key(|line| (line.len(), Reverse(line.front())))?;
        if longest.len() <= own + 1 {
            return None;
        }
        // Unshared requests stand in a line by age.
        let is_its_own = |number: &&u64| self.shares(**number) == 1;
        longest.iter().find(is_its_own).or_else(|| longest.iter().min_by_key(|number| self.shares(**number))).copied()
    }

    fn shares(&self, number: u64) -> usize {
        self.waiting.get(&number).map_or(0, |waiting| waiting.flows.len())
    }
}

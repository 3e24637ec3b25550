//! Fleets that no machine here could hold: purges of thousands of nodes, event by event, from what single steps cost.
//! The principal type is [`Fleet`].
//!
//! # What is simulated
//! An engine serves one step after the other on each of its cores, in the order in which they come ([`Queue`]). Each node
//! renews its lease four times in it, at a phase of its own. Purges come at random, as Poisson has it. Whoever purges has
//! the engine write it; the engine tells all nodes; each reads on (with all that has been written by then), forgets, and
//! confirms; and whoever purges looks at the list of nodes, at the pace of `unladen-fleet`, until all have confirmed.
//! What goes from machine to machine takes a while each way.
//!
//! ```
//! use unladen_accuracy::fleet::{Costs, Fleet};
//!
//! let told = Fleet { nodes: 10, lease: 2.0, rate: 1.0, costs: &Costs::VALKEY }.run(20, 1);
//! assert_eq!(told.delays.len(), 20);
//! assert!(told.load < 0.05);
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fastrand::Rng;

/// Seconds from machine to machine, one way, as within a data centre.
const WAY: f64 = 100e-6;
/// Seconds that a node takes to forget.
const FORGET: f64 = 50e-6;
/// Beats in a lease, as `unladen-fleet` has them.
const BEATS: f64 = 4.0;
/// How it looks at the list of nodes: see `watch.rs` there.
const FIRST: f64 = 1e-3;
const LONGEST: f64 = 20e-3;
const PART: f64 = 4.0;
const SPARED: f64 = 3.0;
const EACH: f64 = 20e-6;

/// What an engine's steps cost it, in seconds of a core: `unladen-bench fleet` measures them, reading and writing its
/// sockets included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    pub name: &'static str,
    pub publish: f64,
    /// To tell a node of it, to have it read it, and to note that it has.
    pub each: f64,
    pub beat: f64,
    /// To tell who is in the list, and for each of them.
    pub look: f64,
    /// For each of them.
    pub listed: f64,
    /// How many steps it can do at a time.
    pub cores: f64,
}

const fn us(number: f64) -> f64 {
    number * 1e-6
}

impl Costs {
    /// Redis 7.0, which does one step at a time.
    pub const VALKEY: Self = Self {
        name: "Valkey, Redis",
        publish: us(180.0),
        each: us(69.0),
        beat: us(23.0),
        look: us(50.0),
        listed: us(1.0),
        cores: 1.0,
    };
    /// PostgreSQL 15 on four cores.
    pub const POSTGRESQL: Self = Self {
        name: "PostgreSQL, 4 cores",
        publish: us(1200.0),
        each: us(900.0),
        beat: us(420.0),
        look: us(230.0),
        listed: us(1.7),
        cores: 4.0,
    };
    /// NATS 2.9, whose requests of one account are served one after the other.
    pub const NATS: Self = Self {
        name: "NATS",
        publish: us(700.0),
        each: us(170.0),
        beat: us(180.0),
        look: us(730.0),
        listed: us(33.0),
        cores: 1.0,
    };
    /// All of them.
    pub const ALL: [&'static Self; 3] = [&Self::VALKEY, &Self::POSTGRESQL, &Self::NATS];
}

/// Whoever serves one after the other on each of its cores, in the order in which they come.
#[derive(Debug, Clone)]
pub struct Queue {
    /// When each core will be free, in seconds.
    free: Vec<f64>,
    busy: f64,
}

impl Queue {
    /// With so many cores, at least one.
    pub fn of(cores: usize) -> Self {
        Self { free: vec![0.0; cores.max(1)], busy: 0.0 }
    }

    /// When what comes now, no earlier than what came before, and takes so long is done.
    pub fn serve(&mut self, now: f64, cost: f64) -> f64 {
        self.busy += cost;
        let mut first = 0;
        for core in 1..self.free.len() {
            if self.free[core] < self.free[first] {
                first = core;
            }
        }
        let done = self.free[first].max(now) + cost;
        self.free[first] = done;
        done
    }

    /// Seconds of all cores that were spent, or are promised.
    pub fn busy(&self) -> f64 {
        self.busy
    }
}

/// A fleet.
#[derive(Debug, Clone, Copy)]
pub struct Fleet<'c> {
    pub nodes: usize,
    /// Seconds.
    pub lease: f64,
    /// Purges a second, each of which is waited for.
    pub rate: f64,
    /// What the engine's steps cost.
    pub costs: &'c Costs,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Seconds from each purge to the word that all nodes have confirmed it, in their order of length.
    pub delays: Vec<f64>,
    /// The part of its time that the engine was busy.
    pub load: f64,
    /// Looks at the list of nodes, for each purge.
    pub looks: f64,
}

/// In seconds from the beginning. Times are finite, and so have an order.
#[derive(Debug, Clone, Copy)]
struct At(f64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A node's beat reaches the engine.
    Beat(usize),
    /// A purge does.
    Publish(usize),
    /// It is written.
    Written(usize),
    /// A node is told that there is something.
    Told(usize),
    /// Its question reaches the engine, is answered, and the answer reaches the node.
    Ask(usize),
    Answered(usize),
    Read(usize, usize),
    /// It has forgotten, and says so: what it says reaches the engine, and is noted there.
    Confirm(usize, usize),
    Confirmed(usize, usize),
    /// Whoever waits for a purge looks: the question reaches the engine, and its answer is made.
    Look(usize),
    Looked(usize),
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// Up to which purge it has confirmed, and has asked for.
    confirmed: usize,
    is_asking: bool,
    is_told: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Purge {
    asked_at: f64,
    written_at: f64,
    looked_at: f64,
    /// Nodes that have not confirmed it.
    missing: usize,
}

struct Run<'c> {
    fleet: Fleet<'c>,
    engine: Queue,
    events: BinaryHeap<Reverse<(At, u64, Event)>>,
    /// Events of one moment come in the order in which they were made.
    made: u64,
    now: f64,
    nodes: Vec<Node>,
    purges: Vec<Purge>,
    written: usize,
    looks: u64,
    usual: f64,
    delays: Vec<f64>,
}

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Fleet<'_> {
    /// The part of the engine's time that beats take, by arithmetic.
    pub fn idle_load(&self) -> f64 {
        self.nodes as f64 * BEATS / self.lease * self.costs.beat / self.costs.cores
    }

    /// What a purge takes of the engine's time, in seconds, by arithmetic; looks at the list of nodes besides.
    pub fn purge_time(&self) -> f64 {
        (self.costs.publish + self.nodes as f64 * self.costs.each) / self.costs.cores
    }

    /// Purges a second at which the engine is busy for this part of its time; whoever waits for them looks at the list
    /// twice for each.
    pub fn rate_at(&self, load: f64) -> f64 {
        let look = (self.costs.look + self.costs.listed * self.nodes as f64) / self.costs.cores;
        ((load - self.idle_load()) / (self.purge_time() + 2.0 * look)).max(0.0)
    }

    /// Runs it until so many purges are confirmed; the seed makes what is random.
    pub fn run(&self, purges: usize, seed: u64) -> Told {
        let mut random = Rng::with_seed(seed);
        let mut run = Run {
            fleet: *self,
            engine: Queue::of(self.costs.cores as usize),
            events: BinaryHeap::new(),
            made: 0,
            now: 0.0,
            nodes: vec![Node::default(); self.nodes],
            // Numbers begin at 1.
            purges: vec![Purge::default(); purges + 1],
            written: 0,
            looks: 0,
            usual: 0.0,
            delays: Vec::with_capacity(purges),
        };
        for node in 0..self.nodes {
            run.plan(random.f64() * self.lease / BEATS, Event::Beat(node));
        }
        // After a round of beats.
        let mut at = self.lease / BEATS;
        for number in 1..=purges {
            at += -(1.0 - random.f64()).ln() / self.rate;
            run.purges[number] = Purge { asked_at: at, missing: self.nodes, ..Purge::default() };
            run.plan(at + WAY, Event::Publish(number));
        }
        while run.delays.len() < purges
            && let Some(Reverse((at, _, event))) = run.events.pop()
        {
            run.now = at.0;
            run.happens(event);
        }
        run.delays.sort_by(f64::total_cmp);
        let looks = run.looks as f64 / purges as f64;
        Told { load: run.engine.busy() / self.costs.cores / run.now, looks, delays: run.delays }
    }
}

impl Run<'_> {
    fn plan(&mut self, at: f64, event: Event) {
        self.made += 1;
        self.events.push(Reverse((At(at), self.made, event)));
    }

    /// The engine does a step of this cost: what then is, when it has.
    fn engine(&mut self, cost: f64, then: Event) {
        let done = self.engine.serve(self.now, cost);
        self.plan(done, then);
    }

    fn happens(&mut self, event: Event) {
        let (costs, now) = (self.fleet.costs, self.now);
        match event {
            Event::Beat(node) => {
                self.engine.serve(now, costs.beat);
                self.plan(now + self.fleet.lease / BEATS, Event::Beat(node));
            }
            Event::Publish(purge) => self.engine(costs.publish, Event::Written(purge)),
            Event::Written(purge) => {
                self.written = self.written.max(purge);
                (0..self.nodes.len()).for_each(|node| self.plan(now + WAY, Event::Told(node)));
                self.purges[purge].written_at = now + WAY;
                let pause = (self.usual - self.usual / PART).clamp(FIRST, LONGEST);
                self.plan(now + WAY + pause + WAY, Event::Look(purge));
            }
            Event::Told(node) => {
                if std::mem::replace(&mut self.nodes[node].is_asking, true) {
                    self.nodes[node].is_told = true;
                } else {
                    self.plan(now + WAY, Event::Ask(node));
                }
            }
            Event::Ask(node) => self.engine(costs.each / 2.0, Event::Answered(node)),
            Event::Answered(node) => self.plan(now + WAY, Event::Read(node, self.written)),
            Event::Read(node, purge) => {
                if purge > self.nodes[node].confirmed {
                    self.plan(now + FORGET + WAY, Event::Confirm(node, purge));
                }
                let state = &mut self.nodes[node];
                state.is_asking = std::mem::take(&mut state.is_told);
                if state.is_asking {
                    self.plan(now + FORGET + WAY, Event::Ask(node));
                }
            }
            Event::Confirm(node, purge) => self.engine(costs.each / 2.0, Event::Confirmed(node, purge)),
            Event::Confirmed(node, purge) => {
                let before = self.nodes[node].confirmed;
                for newly in &mut self.purges[before.min(purge) + 1..=purge] {
                    newly.missing -= 1;
                }
                self.nodes[node].confirmed = before.max(purge);
            }
            Event::Look(purge) => {
                self.looks += 1;
                self.purges[purge].looked_at = now - WAY;
                self.engine(costs.look + costs.listed * self.nodes.len() as f64, Event::Looked(purge));
            }
            Event::Looked(number) => {
                let purge = self.purges[number];
                if purge.missing == 0 {
                    let took = (purge.looked_at - purge.written_at).min(2.0 * self.usual + FIRST);
                    self.usual = f64::midpoint(self.usual, took);
                    self.delays.push(now + WAY - purge.asked_at);
                    return;
                }
                let spared = (SPARED * (now + WAY - purge.looked_at)).min(EACH * self.nodes.len() as f64);
                let waited = now + WAY - purge.written_at;
                self.plan(now + WAY + (waited / PART).clamp(FIRST, LONGEST).max(spared) + WAY, Event::Look(number));
            }
        }
    }
}

#[cfg(test)]
mod tests;

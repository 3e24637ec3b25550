//! The principal type is [`Faults`]: what goes wrong in the town, at random, until it is told to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use crate::town::{NODES, Town};

/// What can be done to a bus.
pub(crate) trait Bus: Send {
    /// Something goes wrong with it, for so long; then all is well again. What it was.
    fn suffer(&mut self, kind: u8, time: Duration) -> &'static str;

    /// Milliseconds between two of them: after most, a lease goes by before anything is confirmed by all again.
    fn pauses(&self) -> std::ops::Range<u64>;
}

/// What goes wrong, at random.
pub(crate) struct Faults<'a, B> {
    pub(crate) town: &'a Town,
    pub(crate) bus: Mutex<B>,
    pub(crate) is_over: AtomicBool,
}

impl<B: Bus> Faults<'_, B> {
    /// What goes wrong with one node, one thing after the other.
    pub(crate) fn of_node(&self, number: usize, mut random: fastrand::Rng) {
        let node = &self.town.nodes[number];
        let note = |what: &str| self.town.history.note(format!("node {number}: {what}"));
        while self.pause(random.u64(100..2500)) {
            let time = Duration::from_millis(random.u64(50..2200));
            match random.u8(0..10) {
                0 | 1 => {
                    note("killed");
                    node.kill();
                    sleep(time / 3);
                    node.revive();
                    note("started");
                }
                2 | 3 => {
                    note("stopped");
                    node.freeze(true);
                    sleep(time);
                    node.freeze(false);
                    note("goes on");
                }
                4 | 5 => {
                    note("cut off from the bus");
                    node.way.cut();
                    sleep(time);
                    node.way.mend();
                    note("mended");
                }
                6 | 7 => {
                    note("its connections to the bus are closed");
                    node.way.refuse();
                    sleep(time / 2);
                    node.way.mend();
                    note("mended");
                }
                _ => {
                    let delay = Duration::from_millis(random.u64(1..120));
                    note(&format!("{delay:?} from the bus"));
                    node.way.delay(delay);
                    sleep(time);
                    node.way.mend();
                    note("near again");
                }
            }
        }
    }

    /// What goes wrong with the bus.
    pub(crate) fn of_bus(&self, mut random: fastrand::Rng) {
        let pauses = self.bus.lock().unwrap_or_else(PoisonError::into_inner).pauses();
        while self.pause(random.u64(pauses.clone())) {
            let time = Duration::from_millis(random.u64(10..1200));
            let mut bus = self.bus.lock().unwrap_or_else(PoisonError::into_inner);
            self.town.history.note("bus: something begins");
            let what = bus.suffer(random.u8(..), time);
            self.town.history.note(format!("bus: was {what}"));
        }
    }

    /// Whether it goes on, after so many milliseconds.
    fn pause(&self, milliseconds: u64) -> bool {
        for _ in 0..milliseconds.div_ceil(20) {
            if self.is_over.load(Ordering::SeqCst) {
                return false;
            }
            sleep(Duration::from_millis(20));
        }
        !self.is_over.load(Ordering::SeqCst)
    }

    /// A node that answers, as far as anybody knows.
    pub(crate) fn some_node(&self, random: &mut fastrand::Rng) -> usize {
        let number = random.usize(..NODES);
        let is_stopped = |number: usize| self.town.nodes[number].is_stopped.load(Ordering::SeqCst);
        (number..number + NODES).map(|number| number % NODES).find(|number| !is_stopped(*number)).unwrap_or(number)
    }
}

//! The principal type is [`Lanes`]: how many programs may run at a time.

use std::time::{Duration, Instant};

use crate::times::Times;

/// So long the machine is looked at before one program more than usual begins: what the last one does shows by then.
const LOOK: Duration = Duration::from_secs(2);
/// It has that much of its processors left, if another one is to begin.
const IDLE: f64 = 0.3;

/// How many programs may run at a time: one more than the machine has cores, as tests of servers wait most of the time.
/// While the kernel counts much idle time all the same, more of them, up to twice the cores and one.
#[derive(Debug)]
pub(crate) struct Lanes {
    cores: usize,
    looked: Option<(Instant, Times)>,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        Self { cores: std::thread::available_parallelism().map_or(1, usize::from), looked: None }
    }

    /// So many run whatever the machine does.
    pub(crate) fn least(&self) -> usize {
        self.cores + 1
    }

    /// Whether one more may begin beside those that run. It is asked again and again.
    pub(crate) fn has_room(&mut self, running: usize) -> bool {
        if running < self.least() {
            self.looked = Times::read().map(|times| (Instant::now(), times));
            return true;
        }
        self.is_idle() && running <= 2 * self.cores
    }

    /// Whether much was left since the last look, which is long enough ago. Without the kernel's word, nothing was.
    fn is_idle(&mut self) -> bool {
        if self.looked.is_some_and(|(when, _)| when.elapsed() < LOOK) {
            return false;
        }
        let now = Times::read();
        let then = std::mem::replace(&mut self.looked, now.map(|times| (Instant::now(), times)));
        then.zip(now).is_some_and(|((_, then), now)| now.idle_since(then) >= IDLE)
    }
}

#[cfg(test)]
mod tests;

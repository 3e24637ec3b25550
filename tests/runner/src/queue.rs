//! The principal type is [`Queue`]: the programs that are still to run, and which of them is next.

use std::collections::VecDeque;

use crate::program::Program;

/// The programs that are still to run beside others.
#[derive(Debug)]
pub(crate) struct Queue {
    long: VecDeque<Program>,
    others: VecDeque<Program>,
}

impl Queue {
    pub(crate) fn new(programs: Vec<Program>) -> Self {
        let (long, others): (VecDeque<_>, VecDeque<_>) = programs.into_iter().partition(|program| program.is_long);
        Self { long, others }
    }

    /// The next one, beside so many long ones of which not more than these are to run at a time. Those that take long
    /// begin early, as one that begins last is waited for by all lanes; the others fill the time that they leave.
    pub(crate) fn next(&mut self, long: usize, most: usize) -> Option<Program> {
        let (first, second) =
            if long < most { (&mut self.long, &mut self.others) } else { (&mut self.others, &mut self.long) };
        first.pop_front().or_else(|| second.pop_front())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.long.is_empty() && self.others.is_empty()
    }
}

#[cfg(test)]
mod tests;

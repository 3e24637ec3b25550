//! The principal types are [`Place`] and [`Ticket`]: being at the application, and waiting for it.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::gate::{Asked, Queue};
use super::queue_entry::QueueEntry;
use super::refusal::Refusal;
use super::waiter::Waiter;

/// A place at the application; dropping it passes it on.
#[derive(Debug)]
pub(crate) struct Place<'q>(&'q Queue);

/// Waits for a place; dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct Ticket<'q> {
    queue: &'q Queue,
    number: u64,
    waiter: Arc<Waiter>,
    is_over: bool,
}

#[derive(Debug)]
pub(crate) enum Entered<'q> {
    Place(Place<'q>),
    Ticket(Ticket<'q>),
}

impl Queue {
    pub(crate) fn enter(&self, queue_entry: &QueueEntry<'_>, now: Instant) -> Result<Entered<'_>, Refusal> {
        Ok(match self.ask(queue_entry, now)? {
            Asked::Place => Entered::Place(Place(self)),
            Asked::Waits(number, waiter) => Entered::Ticket(Ticket { queue: self, number, waiter, is_over: false }),
        })
    }
}

// === impl Ticket ===

impl<'q> Ticket<'q> {
    pub(crate) fn longest(&self) -> Duration {
        self.queue.longest()
    }

    pub(crate) fn poll(&mut self, cx: &Context<'_>) -> Poll<Result<Place<'q>, Refusal>> {
        let told = self.waiter.poll(cx);
        self.is_over |= told.is_ready();
        told.map_ok(|()| Place(self.queue))
    }

    /// Ends the wait; it may have got a place at the last moment.
    pub(crate) fn expire(mut self, now: Instant) -> Result<Place<'q>, Refusal> {
        self.is_over = true;
        let refusal = self.queue.expire(self.number, now);
        match self.waiter.told() {
            Some(told) => told.map(|()| Place(self.queue)),
            None => Err(refusal),
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.queue.leave(self.number, &self.waiter);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

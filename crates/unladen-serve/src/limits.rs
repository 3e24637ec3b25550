//! Bounds on memory for clients, on what each client and network has at a time, and on rates; and what happens without
//! room: all threads are told, so that they close connections that are [`Idle`].

pub(crate) mod budget;
pub(crate) mod crowd;
pub(crate) mod queue;
pub(crate) mod rates;
pub(crate) mod service;

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use unladen_observability::UpstreamIndex;

use self::crowd::network;

/// Notified when a listener is at its bound on connections: other threads may have those that can be closed.
pub(crate) static CROWDED: Notify = Notify::const_new();
/// Times that no file descriptor was left for a client.
pub(crate) static SHORT: AtomicUsize = AtomicUsize::new(0);

/// Reports that no file descriptor is left: active clients come before idle ones, on whichever thread.
pub(crate) fn short_of_files() {
    SHORT.fetch_add(1, Ordering::Relaxed);
    CROWDED.notify_waiters();
}

/// A thread's idle connections, some of which are closed when there is no room for new ones.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    list: RefCell<List>,
}

#[derive(Debug, Default)]
struct List {
    // Places are reused: there are at most as many as connections were idle at a time.
    waiting: Vec<Option<Waiting>>,
    free: Vec<usize>,
    count: u64,
}

#[derive(Debug)]
struct Waiting {
    of: UpstreamIndex,
    client: Option<IpAddr>,
    since: u64,
    waker: Option<Waker>,
    is_to_close: bool,
}

#[derive(Debug)]
pub(crate) struct IsIdle<'i> {
    idle: &'i Idle,
    place: usize,
}

impl Idle {
    pub(crate) fn enter(&self, of: UpstreamIndex, client: Option<IpAddr>) -> IsIdle<'_> {
        let mut list = self.list.borrow_mut();
        list.count += 1;
        let waiting =
            Some(Waiting { of, client: client.map(network), since: list.count, waker: None, is_to_close: false });
        let place = match list.free.pop() {
            Some(place) => {
                list.waiting[place] = waiting;
                place
            }
            None => {
                list.waiting.push(waiting);
                list.waiting.len() - 1
            }
        };
        IsIdle { idle: self, place }
    }

    /// Closes up to `most` at this place, of the client with the most, oldest first. Returns how many.
    pub(crate) fn close(&self, of: UpstreamIndex, most: usize) -> usize {
        let mut list = self.list.borrow_mut();
        let of_place = |waiting: &&mut Waiting| waiting.of == of && !waiting.is_to_close;
        let mut clients: HashMap<Option<IpAddr>, usize> = HashMap::new();
        for waiting in list.waiting.iter_mut().flatten().filter(of_place) {
            *clients.entry(waiting.client).or_default() += 1;
        }
        // Those of no single client, as from a proxy that speaks for many, come last.
        let most_of = |(client, count): &(Option<IpAddr>, usize)| (client.is_some(), *count);
        let Some(client) = clients.into_iter().max_by_key(most_of).map(|(client, _)| client) else {
            return 0;
        };
        let mut theirs: Vec<&mut Waiting> =
            list.waiting.iter_mut().flatten().filter(of_place).filter(|waiting| waiting.client == client).collect();
        theirs.sort_unstable_by_key(|waiting| waiting.since);
        theirs.truncate(most);
        let count = theirs.len();
        for waiting in theirs {
            waiting.is_to_close = true;
            if let Some(waker) = waiting.waker.take() {
                waker.wake();
            }
        }
        count
    }
}

impl IsIdle<'_> {
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut list = self.idle.list.borrow_mut();
        match list.waiting.get_mut(self.place).and_then(Option::as_mut) {
            Some(waiting) if waiting.is_to_close => Poll::Ready(()),
            Some(waiting) => {
                if !waiting.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                    waiting.waker = Some(cx.waker().clone());
                }
                Poll::Pending
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for IsIdle<'_> {
    fn drop(&mut self) {
        let mut list = self.idle.list.borrow_mut();
        list.waiting[self.place] = None;
        list.free.push(self.place);
    }
}

#[cfg(test)]
mod tests;

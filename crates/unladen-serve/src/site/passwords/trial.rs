//! The principal type is [`Trial`]: a name and password being checked. Equal ones wait for its result, and few are
//! checked at a time for each client.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, watch};

use crate::limits::crowd::network;

/// Most requests waiting for a hash …
const MOST_WAITING: usize = 64;
/// … and of one client, which leaves room for the others.
pub(super) const MOST_OF_CLIENT: usize = 4;

/// Half of the processors check hashes; the others answer requests.
pub(super) static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});
/// Shared by all sites.
pub(super) static PLACES: LazyLock<Places> = LazyLock::new(Places::default);

/// Identifies a name, a password and a hash together.
pub(super) type Mark = [u8; 32];

#[derive(Debug, Default)]
pub(super) struct Trials(Mutex<HashMap<Mark, watch::Receiver<Option<bool>>>>);

pub(super) struct Trial {
    trials: Arc<Trials>,
    mark: Mark,
    tell: watch::Sender<Option<bool>>,
}

pub(super) enum Joined {
    First(Trial),
    Other(watch::Receiver<Option<bool>>),
}

#[derive(Debug, Default)]
pub(super) struct Places(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    all: usize,
    /// By network; Unix sockets are not in it.
    clients: HashMap<IpAddr, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    OfClient,
    OfAll,
}

#[derive(Debug)]
pub(super) struct Place<'p> {
    places: &'p Places,
    client: Option<IpAddr>,
}

impl Trials {
    pub(super) fn join(self: &Arc<Self>, mark: Mark) -> Joined {
        match lock(&self.0).entry(mark) {
            Entry::Occupied(trying) => Joined::Other(trying.get().clone()),
            Entry::Vacant(none) => {
                let (tell, told) = watch::channel(None);
                none.insert(told);
                Joined::First(Trial { trials: self.clone(), mark, tell })
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

// === impl Trial ===

impl Trial {
    pub(super) fn end(self, is_right: bool) {
        self.tell.send_replace(Some(is_right));
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        lock(&self.trials.0).remove(&self.mark);
    }
}

// === impl Places ===

impl Places {
    pub(super) fn take(&self, address: Option<IpAddr>) -> Result<Place<'_>, Full> {
        let client = address.map(network);
        let mut waiting = lock(&self.0);
        let has = client.and_then(|client| waiting.clients.get(&client)).copied().unwrap_or_default();
        if has >= MOST_OF_CLIENT {
            return Err(Full::OfClient);
        }
        if waiting.all >= MOST_WAITING {
            return Err(Full::OfAll);
        }
        waiting.all += 1;
        if let Some(client) = client {
            waiting.clients.insert(client, has + 1);
        }
        Ok(Place { places: self, client })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.places.0);
        waiting.all = waiting.all.saturating_sub(1);
        if let Some(client) = self.client
            && let Entry::Occupied(mut has) = waiting.clients.entry(client)
        {
            *has.get_mut() = has.get().saturating_sub(1);
            if *has.get() == 0 {
                has.remove();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;

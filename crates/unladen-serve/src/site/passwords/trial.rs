//! The principal type is [`Trial`]: a name and a password that are being tried. Whoever says the same meanwhile waits
//! for what comes of it, and of each client few are tried at a time.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, watch};

use crate::limits::crowd::network;

/// So many wait for a hash to be tried …
const MOST_WAITING: usize = 64;
/// … and of one client so many: what it sends leaves room for the others.
pub(super) const MOST_OF_CLIENT: usize = 4;

/// Hashes are tried by half of the processors: the others answer requests.
pub(super) static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});
/// Of all sites.
pub(super) static PLACES: LazyLock<Places> = LazyLock::new(Places::default);

/// By what a name, a password and a hash are found together.
pub(super) type Mark = [u8; 32];

/// What is being tried, and where it is told what came of it.
#[derive(Debug, Default)]
pub(super) struct Trials(Mutex<HashMap<Mark, watch::Receiver<Option<bool>>>>);

/// A name and a password that are being tried, until it is dropped.
pub(super) struct Trial {
    trials: Arc<Trials>,
    mark: Mark,
    tell: watch::Sender<Option<bool>>,
}

/// Who tries.
pub(super) enum Joined {
    First(Trial),
    /// Another does already.
    Other(watch::Receiver<Option<bool>>),
}

/// Who waits for a hash to be tried.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    all: usize,
    /// By network; those by a Unix socket are in none.
    clients: HashMap<IpAddr, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    OfClient,
    /// For anybody.
    OfAll,
}

/// One of those who wait.
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
    /// Tells what came of it.
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
    /// A place for a client at this address.
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

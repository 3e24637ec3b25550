//! The principal type is [`Connections`]: open connections, up to a bound.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::{AbortHandle, Id, JoinSet};

/// A request that was sent may not have been read yet: a connection that has waited for less keeps its place.
const GRACE: Duration = Duration::from_millis(200);

/// Open connections. Beyond the bound, a new one replaces the one that has waited longest for a request: many silent
/// connections keep nobody out. Clients on one machine share an address, so they are not counted by peer.
pub(crate) struct Connections {
    most: usize,
    tasks: JoinSet<()>,
    open: HashMap<Id, (AbortHandle, Arc<Turn>)>,
    /// Notified when a connection begins to wait again.
    answered: Arc<Notify>,
}

pub(crate) struct Turn {
    /// Start of its wait for a request; `None` while one is being answered.
    waits_since: Mutex<Option<Instant>>,
    answered: Arc<Notify>,
}

/// Marks a request that is being answered, until it is dropped.
pub(crate) struct Answering<'a>(&'a Turn);

impl Connections {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, tasks: JoinSet::new(), open: HashMap::new(), answered: Arc::default() }
    }

    pub(crate) async fn room(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
        while self.open.len() >= self.most {
            let longest = self.waiting_for_longest().map(|(since, task)| (since.elapsed(), task));
            let left = match longest {
                Some((waited, task)) if waited >= GRACE => {
                    task.abort();
                    Duration::ZERO
                }
                Some((waited, _)) => GRACE.saturating_sub(waited),
                None => Duration::MAX,
            };
            let answered = Arc::clone(&self.answered);
            tokio::select! {
                () = self.one_ends() => {}
                () = answered.notified(), if left > Duration::ZERO => {}
                () = tokio::time::sleep(left), if left > Duration::ZERO => {}
            }
        }
    }

    /// Runs a connection while this value lives.
    pub(crate) fn add<F>(&mut self, converse: impl FnOnce(Arc<Turn>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let turn =
            Arc::new(Turn { waits_since: Mutex::new(Some(Instant::now())), answered: Arc::clone(&self.answered) });
        let task = self.tasks.spawn(converse(Arc::clone(&turn)));
        self.open.insert(task.id(), (task, turn));
    }

    fn waiting_for_longest(&self) -> Option<(Instant, &AbortHandle)> {
        let waiting = self.open.values().filter_map(|(task, turn)| Some((turn.waits_since()?, task)));
        waiting.min_by_key(|(since, _)| *since)
    }

    async fn one_ends(&mut self) {
        if let Some(ended) = self.tasks.join_next_with_id().await {
            self.forget(ended);
        }
    }

    fn forget(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.open.remove(&id);
    }
}

// === impl Turn ===

impl Turn {
    pub(crate) fn answering(&self) -> Answering<'_> {
        self.set(None);
        Answering(self)
    }

    fn waits_since(&self) -> Option<Instant> {
        self.waits_since.lock().ok().and_then(|since| *since)
    }

    fn set(&self, since: Option<Instant>) {
        if let Ok(mut place) = self.waits_since.lock() {
            *place = since;
        }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
        self.0.answered.notify_one();
    }
}

//! The principal type is [`ThreadConnections`]: the connections of a thread.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::AbortHandle;
use tokio_postgres::{Client, Statement};

use crate::AskError;
use crate::backoff::Backoff;
use crate::counts::locked;

/// Questions on every connection before one more is made.
const BUSY: usize = 32;

#[derive(Default)]
pub(super) struct ThreadConnections {
    most: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    links: Vec<Arc<Link>>,
    making: bool,
    backoff: Backoff,
}

/// A question's place on a connection. If it is dropped without [`InFlightQuery::answered`], the connection counts as
/// dead.
pub(super) struct InFlightQuery {
    connections: Arc<ThreadConnections>,
    link: Arc<Link>,
    ended: bool,
}

/// A connection being made; dropping this gives it up.
pub(super) struct Making {
    /// Weak: nobody may want the connection any more when it is made.
    connections: Weak<ThreadConnections>,
    ended: bool,
}

impl ThreadConnections {
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Completes when a connection is made, or has failed.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// The place, or why there is none; `None` means wait for [`ThreadConnections::changed`]. And whether the caller
    /// has to make a connection.
    pub(super) fn in_flight(self: &Arc<Self>) -> (Option<Result<InFlightQuery, AskError>>, bool) {
        let mut state = locked(&self.state);
        state.links.retain(|link| !link.is_closed());
        let link = state.links.iter().min_by_key(|link| link.flying.load(Relaxed)).cloned();
        let wanted = match &link {
            Some(link) => link.flying.load(Relaxed) >= BUSY && state.links.len() < self.most,
            None => true,
        };
        let connect = wanted && !state.making && state.backoff.pause().is_none();
        if let Some(link) = link {
            state.making |= connect;
            link.flying.fetch_add(1, Relaxed);
            return (Some(Ok(InFlightQuery { connections: self.clone(), link, ended: false })), connect);
        }
        // While a server is down, only the one who tries it waits: the others need not each wait for a timeout.
        if !connect && let Some(error) = state.backoff.error() {
            return (Some(Err(error.clone())), false);
        }
        state.making = true;
        (None, connect)
    }

    /// For callers that [`ThreadConnections::in_flight`] asks to make a connection.
    pub(super) fn making(self: &Arc<Self>) -> Making {
        Making { connections: Arc::downgrade(self), ended: false }
    }

    fn remove(&self, link: &Arc<Link>) {
        locked(&self.state).links.retain(|other| !Arc::ptr_eq(other, link));
    }
}

// === impl Making ===

impl Making {
    pub(super) fn done(mut self, made: Result<Link, AskError>) {
        self.ended = true;
        let Some(connections) = self.connections.upgrade() else { return };
        let mut state = locked(&connections.state);
        state.making = false;
        match made {
            Ok(link) => {
                state.links.push(Arc::new(link));
                // A statement that always fails already causes a pause.
                if !matches!(state.backoff.error(), Some(AskError::Query(_))) {
                    state.backoff.succeeded();
                }
            }
            Err(error) => state.backoff.failed(error),
        }
        drop(state);
        connections.changed.notify_waiters();
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if !self.ended
            && let Some(connections) = self.connections.upgrade()
        {
            locked(&connections.state).making = false;
            connections.changed.notify_waiters();
        }
    }
}

// === impl InFlightQuery ===

impl InFlightQuery {
    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    pub(super) fn answered(mut self) {
        self.ended = true;
        if locked(&self.connections.state).backoff.error().is_some() {
            locked(&self.connections.state).backoff.succeeded();
        }
    }

    /// The statement has to be prepared anew.
    pub(super) fn outdated(mut self, error: &AskError) {
        self.ended = true;
        self.connections.remove(&self.link);
        locked(&self.connections.state).backoff.failed(error.clone());
    }

    pub(super) fn dead(mut self) {
        self.ended = true;
        self.connections.remove(&self.link);
    }
}

impl Drop for InFlightQuery {
    fn drop(&mut self) {
        self.link.flying.fetch_sub(1, Relaxed);
        if !self.ended {
            self.link.silent.store(true, Relaxed);
            self.connections.remove(&self.link);
        }
    }
}

/// Timeout of connecting, even if an answer's is shorter: the connection also serves later questions.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

pub(super) struct Link {
    client: Client,
    statement: Option<Statement>,
    /// Which server it leads to, where it matters.
    pub(super) server: Option<Box<str>>,
    task: AbortHandle,
    pub(super) flying: AtomicUsize,
    /// Somebody stopped waiting for it.
    pub(super) silent: AtomicBool,
}

impl Link {
    pub(super) fn new(client: Client, task: AbortHandle) -> Self {
        Self { client, statement: None, server: None, task, flying: AtomicUsize::new(0), silent: AtomicBool::new(true) }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn statement(&self) -> Option<&Statement> {
        self.statement.as_ref()
    }

    pub(super) fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    pub(super) fn ready(&mut self, statement: Statement) {
        self.statement = Some(statement);
        *self.silent.get_mut() = false;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // When the client is gone, the task itself ends the session, but only once it has all answers.
        if self.silent.load(Relaxed) {
            self.task.abort();
        }
    }
}

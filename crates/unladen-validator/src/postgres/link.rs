//! The principal type is [`Link`]: a connection with its prepared statement.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio_postgres::{Client, Statement};

/// How long a connection may take to be made, even where an answer may take less: it is made for those who come later,
/// too.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// A connection with its prepared statement.
pub(super) struct Link {
    client: Client,
    statement: Option<Statement>,
    /// Which server it is to, where it matters.
    pub(super) server: Option<Box<str>>,
    task: AbortHandle,
    /// Questions that are on their way.
    pub(super) flying: AtomicUsize,
    /// Somebody stopped waiting for it.
    pub(super) silent: AtomicBool,
}

// === impl Link ===

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
        // The task takes its leave of the server by itself when the client is gone, but only once it has got all
        // answers.
        if self.silent.load(Relaxed) {
            self.task.abort();
        }
    }
}

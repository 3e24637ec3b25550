//! The principal type is [`Link`]: a connection with its prepared statement.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio_postgres::{Client, Statement};

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
        // When the client is gone, the task itself ends the session, but only once it has all answers.
        if self.silent.load(Relaxed) {
            self.task.abort();
        }
    }
}

//! The principal type is [`Origin`]: the connections to one scheme, host and port, kept open between requests.

use std::cell::{Cell, RefCell};

use tokio::sync::Mutex;

use crate::connect::Connector;
use crate::connection::Connection;
use crate::counts::Counts;
use crate::error::LoadError;
use crate::failure::Failure;
use crate::http_version::Protocol;

pub(crate) struct Origin {
    connector: Connector,
    keep_alive: bool,
    /// Idle HTTP/1.1 connections, the last used at the end; never more than workers.
    idle: RefCell<Vec<Connection>>,
    shared: RefCell<Option<Connection>>,
    speaks: Cell<Option<Protocol>>,
    /// Held while a connection is opened that all may share: workers that start together must not open one each.
    opening: Mutex<()>,
}

pub(crate) struct Taken {
    pub(crate) connection: Connection,
    pub(crate) reused: bool,
}

pub(crate) enum OpenError {
    Connect(LoadError),
    Start(Failure),
}

impl Origin {
    pub(crate) fn new(connector: Connector, keep_alive: bool) -> Self {
        Self {
            connector,
            keep_alive,
            idle: RefCell::default(),
            shared: RefCell::default(),
            speaks: Cell::default(),
            opening: Mutex::default(),
        }
    }

    pub(crate) fn connector(&self) -> &Connector {
        &self.connector
    }

    /// A connection that can take a request: an idle one unless `fresh`, else a new one.
    ///
    /// Over HTTP/2 an open shared connection is used even if `fresh`: a refused stream belongs on it as much as before.
    pub(crate) async fn take(&self, fresh: bool, counts: &Counts) -> Result<Taken, OpenError> {
        if self.keep_alive && !fresh {
            while let Some(mut connection) = self.pop() {
                if connection.is_open().await {
                    return Ok(Taken { connection, reused: true });
                }
                counts.closed_by_server();
            }
        }
        if self.keep_alive && self.speaks.get() != Some(Protocol::Http1) {
            let _opening = self.opening.lock().await;
            if let Some(mut connection) = self.shared() {
                if connection.is_open().await {
                    return Ok(Taken { connection, reused: true });
                }
                self.shared.take();
                counts.closed_by_server();
            }
            // The previous holder of the lock may have found out that there is nothing to share.
            if self.speaks.get() != Some(Protocol::Http1) {
                return self.open(counts).await;
            }
        }
        self.open(counts).await
    }

    pub(crate) fn give_back(&self, connection: Connection) {
        if self.keep_alive && connection.protocol() == Protocol::Http1 {
            self.idle.borrow_mut().push(connection);
        }
    }

    async fn open(&self, counts: &Counts) -> Result<Taken, OpenError> {
        let opened = self.connector.open().await.map_err(OpenError::Connect)?;
        counts.opened();
        let started = Connection::start(opened).await;
        let connection = started.map_err(|error| OpenError::Start(Failure::Hyper(error)))?;
        self.speaks.set(Some(connection.protocol()));
        if self.keep_alive {
            *self.shared.borrow_mut() = connection.share();
        }
        Ok(Taken { connection, reused: false })
    }

    // Borrows end with these functions and are never held over an await.

    fn pop(&self) -> Option<Connection> {
        self.idle.borrow_mut().pop()
    }

    fn shared(&self) -> Option<Connection> {
        self.shared.borrow().as_ref().and_then(Connection::share)
    }
}

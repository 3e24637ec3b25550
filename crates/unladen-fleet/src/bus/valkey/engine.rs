//! The principal type is [`ValkeyEngine`]: a connection for other uses than purges, such as shared answers.

use std::path::Path;
use std::sync::Arc;

use super::connection::{Connection, Place};
use super::resp::Reply;
use crate::{BusError, BusUrl};

/// Address of an engine, and credentials.
#[derive(Clone, Debug)]
pub struct ValkeyPlace(Arc<Place>);

/// A connection for other uses than purges, with the same bounds of replies.
#[derive(Debug)]
pub struct ValkeyEngine(Connection);

impl ValkeyPlace {
    /// From a URL of Valkey or Redis. `ca` holds authorities (PEM) for its certificate; `None` for the system's.
    ///
    /// # Errors
    /// If the URL is unsuitable.
    pub fn new(url: &BusUrl, ca: Option<&Path>) -> Result<Self, BusError> {
        Place::new(url, ca).map(Arc::new).map(Self)
    }

    /// Error for a refusal, with advice.
    pub fn refused(&self, error: &str) -> BusError {
        self.0.refused(error)
    }
}

impl ValkeyEngine {
    /// Connects, authenticates, and asks the engine for its identity. Without a time limit.
    ///
    /// # Errors
    /// If it cannot be reached, or refuses.
    pub async fn open(place: &ValkeyPlace) -> Result<Self, BusError> {
        Connection::open(&place.0).await.map(Self)
    }

    /// The engine's run id, 40 hexadecimal digits, which changes at each start.
    pub fn run(&self) -> &str {
        &self.0.run
    }

    /// Sends commands together, each a list of words, and reads their answers in this order. After a failure, or if the
    /// future is dropped before it is done, the connection is unusable.
    ///
    /// # Errors
    /// If the connection is lost, or an answer is out of bounds.
    pub async fn ask_all(&mut self, commands: &[Vec<Vec<u8>>]) -> Result<Vec<Reply>, BusError> {
        self.0.ask_all(commands).await
    }
}

//! The principal type is [`ValkeyEngine`]: a connection for what is no purge, such as answers that nodes share.

use std::path::Path;
use std::sync::Arc;

use super::connection::{Connection, Place};
use super::resp::Reply;
use crate::{BusError, BusUrl};

/// Where an engine is, and how it is spoken to.
#[derive(Clone, Debug)]
pub struct ValkeyPlace(Arc<Place>);

/// A connection for what is no purge. What it reads is within the bounds of all that is read of an engine.
#[derive(Debug)]
pub struct ValkeyEngine(Connection);

impl ValkeyPlace {
    /// Of a URL of Valkey or Redis. `ca`: the authorities (PEM) that verify its certificate; none: the system's.
    ///
    /// # Errors
    /// If the URL cannot be used so.
    pub fn new(url: &BusUrl, ca: Option<&Path>) -> Result<Self, BusError> {
        Place::new(url, ca).map(Arc::new).map(Self)
    }

    /// What an engine says to what it does not do, and what to do about it.
    pub fn refused(&self, error: &str) -> BusError {
        self.0.refused(error)
    }
}

impl ValkeyEngine {
    /// Connects, says who it is, and asks the engine who that is. Nothing limits the time that takes.
    ///
    /// # Errors
    /// If it cannot be reached, or refuses.
    pub async fn open(place: &ValkeyPlace) -> Result<Self, BusError> {
        Connection::open(&place.0).await.map(Self)
    }

    /// The engine's run id, 40 hexadecimal digits: another one whenever it was started again.
    pub fn run(&self) -> &str {
        &self.0.run
    }

    /// Sends commands together, each a list of words, and reads their answers in this order. After a failure, or if the
    /// future is dropped before it is done, the connection is of no more use.
    ///
    /// # Errors
    /// If the connection is lost, or an answer is out of bounds.
    pub async fn ask_all(&mut self, commands: &[Vec<Vec<u8>>]) -> Result<Vec<Reply>, BusError> {
        self.0.ask_all(commands).await
    }
}

//! The principal type is [`PurgeBus`]: what a fleet requires of an engine.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::{BusError, BusSettings, Member, Position};

/// Future answer of an engine.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, BusError>> + Send + 'a>>;

/// Maximum records in a read.
pub const BATCH: usize = 500;
/// Maximum nodes of a fleet.
pub const MEMBERS: usize = 10_000;

/// Access to an engine, which keeps ordered records, and a list of nodes.
///
/// All methods are called on one runtime; [`PurgeBus::read_on`] waits while others proceed. Each call has its own time
/// limit. Errors are returned, and the next call reconnects: [`Fleet`](crate::Fleet) adds pauses. A dropped call leaves
/// nothing behind that a later one would take for its own answer.
pub trait PurgeBus: std::fmt::Debug + Send + Sync {
    /// Writes records in this order, and returns their positions once the engine has all of them. After an error it is
    /// unknown how many it has; they are all sent again.
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>>;

    /// Reads records after a position, the oldest first, at most [`BATCH`]; waits up to `wait` for the first, and
    /// returns none if none comes. `after` is `None` to begin at the end.
    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read>;

    /// Reports that this node has forgotten all up to `position`, and puts it into the list of nodes for `lease` from
    /// now, by the engine's clock. Returns the end at that time: later records are published while this node is in the
    /// list.
    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position>;

    /// Reports that this node, which has confirmed within a part of `lease`, has forgotten all up to `position`. That
    /// is what purges wait for: an engine for which a renewal costs more leaves the lease as it is, may lose this in a
    /// crash, and returns `None`.
    fn tell<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Option<Position>> {
        Box::pin(async move { self.confirm(position, lease).await.map(Some) })
    }

    /// The current end, and the nodes whose lease is not over, by the engine's clock; at most [`MEMBERS`]. Both are of
    /// one moment: an engine that has lost its list has another epoch.
    fn members(&self) -> Answer<'_, (Position, Vec<Member>)>;

    /// Consecutive records that it found without a notification: more than a few, and notifications do not work.
    fn untold(&self) -> u32 {
        0
    }

    /// Number of notified waits. `None` if it waits for the records themselves.
    fn told(&self) -> Option<u64> {
        None
    }

    fn leave(&self) -> Answer<'_, ()>;
}

pub(crate) type Records = Vec<(Position, Vec<u8>)>;

/// Result of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Positions and raw records; empty if none came in time.
    Records(Vec<(Position, Vec<u8>)>),
    /// Records after the position are incomplete, or it had none: reading continues at the end.
    Lost {
        end: Position,
        why: &'static str,
        /// The engine's list of nodes has been whole for at least this long.
        whole_for: Duration,
    },
}

/// A kind of engine.
#[derive(Clone, Copy, Debug)]
pub struct BackEnd {
    pub schemes: &'static [&'static str],
    pub name: &'static str,
    /// Checks the settings, without connecting.
    pub open: fn(&BusSettings) -> Result<Arc<dyn PurgeBus>, BusError>,
}

/// How many records are requested at once: [`BATCH`], halved whenever an answer took too long. Clients choose the
/// length of records: over a slow line, the same ones would be requested again and again.
#[derive(Debug)]
pub(crate) struct Batch(AtomicUsize);

impl Default for Batch {
    fn default() -> Self {
        Self(AtomicUsize::new(BATCH))
    }
}

impl Batch {
    pub(crate) fn size(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn judge<T>(&self, read: Result<T, BusError>) -> Result<T, BusError> {
        let now = self.size();
        match &read {
            Ok(_) => self.0.store((now * 2).min(BATCH), Ordering::Relaxed),
            Err(BusError::Timeout) => self.0.store((now / 2).max(1), Ordering::Relaxed),
            Err(_) => {}
        }
        read
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`PurgeBus`]: what an engine has to do for a fleet.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{BusError, BusSettings, Member, Position};

/// What an engine answers.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, BusError>> + Send + 'a>>;

/// Records that are read at once, at most.
pub const BATCH: usize = 500;
/// Nodes of a fleet, at most.
pub const MEMBERS: usize = 10_000;

/// A way to an engine, which keeps records in an order, and a list of nodes.
///
/// All of it is asked on one runtime; [`PurgeBus::read_on`] waits while the others go on. Each call has a time of its
/// own. What fails is given back, and the next call connects again: [`Fleet`](crate::Fleet) sees to pauses. A call that
/// is dropped leaves nothing behind that a later one would take for its own answer.
pub trait PurgeBus: std::fmt::Debug + Send + Sync {
    /// Writes records in this order, and answers once the engine has all of them: the place of each. An error: nobody
    /// knows how many it has; they are all sent again.
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>>;

    /// What comes after a place, the oldest first, at most [`BATCH`]; waits up to `wait` for the first, and gives
    /// nothing if none comes. `after`: none: it begins at the end.
    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read>;

    /// Tells that this node has forgotten all up to `position`, and is in the list of nodes for `lease` from now, by the
    /// engine's clock. Gives the end of what was written by then: what is published after it is published while this
    /// node is in the list.
    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position>;

    /// Tells that this node, which has confirmed within a part of `lease`, has forgotten all up to `position`. That is
    /// what purges wait for: an engine for which renewing a lease costs more leaves the lease as it is, may lose this in a
    /// crash, and gives nothing.
    fn tell<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Option<Position>> {
        Box::pin(async move { self.confirm(position, lease).await.map(Some) })
    }

    /// The end as it is now, and the nodes whose lease is not over, by the engine's clock; at most [`MEMBERS`]. Both are
    /// of one moment: an engine that has lost its list has another epoch.
    fn members(&self) -> Answer<'_, (Position, Vec<Member>)>;

    /// How many records in a row it was not told of, but found when it looked by itself: more than a few, and what is to
    /// tell of them does not come through.
    fn untold(&self) -> u32 {
        0
    }

    /// How often it waited for records, and was told of them. None: it waits for the records themselves.
    fn told(&self) -> Option<u64> {
        None
    }

    /// Takes this node off the list.
    fn leave(&self) -> Answer<'_, ()>;
}

/// Records with their places, as they were written.
pub(crate) type Records = Vec<(Position, Vec<u8>)>;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Records with their places; nothing: none came in time.
    Records(Vec<(Position, Vec<u8>)>),
    /// What came after the place is not all there, or there was none: it goes on at the end.
    Lost {
        /// The end, as it was when this was noticed.
        end: Position,
        /// What happened.
        why: &'static str,
        /// For at least so long, the engine has lost nothing of its list of nodes.
        whole_for: Duration,
    },
}

/// A kind of engine.
#[derive(Clone, Copy, Debug)]
pub struct BackEnd {
    /// What its URLs begin with.
    pub schemes: &'static [&'static str],
    pub name: &'static str,
    /// Checks the settings, and connects to nobody yet.
    pub open: fn(&BusSettings) -> Result<Arc<dyn PurgeBus>, BusError>,
}

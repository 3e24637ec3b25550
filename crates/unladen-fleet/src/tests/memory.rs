//! The principal type is [`MemoryEngine`]: an in-process engine with injectable faults, for tests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::purge_bus::{Answer, BATCH, PurgeBus, Read};
use crate::{BusError, Member, Position};

/// An in-process engine for tests: it can be cut off, emptied, trimmed and made to lose its content.
#[derive(Clone, Debug, Default)]
pub struct MemoryEngine {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct State {
    epoch: u64,
    list: u64,
    /// When the list was lost last; `None` if it has been whole for long.
    lost_at: Option<Instant>,
    records: Vec<Vec<u8>>,
    trimmed: usize,
    members: BTreeMap<String, (Position, Instant)>,
    pretended: Option<fn() -> Vec<Member>>,
}

#[derive(Debug)]
struct MemoryBus {
    engine: MemoryEngine,
    node: String,
    wire: Wire,
}

/// Cuts one node off, or reconnects it.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    is_cut: Arc<AtomicBool>,
    is_mute: Arc<AtomicBool>,
    is_still: Arc<AtomicBool>,
    untold: Arc<AtomicU32>,
}

impl MemoryEngine {
    /// A bus for a node, and the switch that cuts it.
    pub fn bus(&self, node: &str) -> (Arc<dyn PurgeBus>, Wire) {
        let wire = Wire::default();
        (Arc::new(MemoryBus { engine: self.clone(), node: node.to_owned(), wire: wire.clone() }), wire)
    }

    /// Removes all records so far.
    pub fn trim(&self) {
        let mut state = self.shared.lock();
        state.trimmed = state.records.len();
    }

    /// Restarts it, empty.
    pub fn flush(&self) {
        let mut state = self.shared.lock();
        let epoch = state.epoch + 1;
        *state = State { epoch, lost_at: Some(Instant::now()), ..State::default() };
        drop(state);
        self.shared.bell.notify_waiters();
    }

    /// Loses the list of nodes only.
    pub fn forget_members(&self) {
        let mut state = self.shared.lock();
        state.members.clear();
        state.list += 1;
        state.lost_at = Some(Instant::now());
        drop(state);
        self.shared.bell.notify_waiters();
    }

    /// Returns this list of nodes instead, which may be too long or change each time; `None` for the real one.
    pub fn pretend(&self, members: Option<fn() -> Vec<Member>>) {
        self.shared.lock().pretended = members;
    }

    /// Repeats all records.
    pub fn repeat(&self) {
        let mut state = self.shared.lock();
        let again = state.records.clone();
        state.records.extend(again);
        drop(state);
        self.shared.bell.notify_waiters();
    }

    /// Writes something that no node would.
    pub fn write(&self, bytes: &[u8]) {
        self.shared.lock().records.push(bytes.to_vec());
        self.shared.bell.notify_waiters();
    }
}

impl Wire {
    /// Cuts the connection, or restores it.
    pub fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }

    /// Keeps the node out of the list, though all else works.
    pub fn mute(&self, is_mute: bool) {
        self.is_mute.store(is_mute, Ordering::SeqCst);
    }

    /// Blocks requests to enter the list.
    pub fn stand_still(&self, is_still: bool) {
        self.is_still.store(is_still, Ordering::SeqCst);
    }

    /// The next `records` records come without a notification.
    pub fn untold(&self, records: u32) {
        self.untold.store(records, Ordering::SeqCst);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn position(&self, index: usize) -> Result<Position, BusError> {
        let wrong = || BusError::Answer("no epoch".to_owned());
        Position::new(&format!("memory.{}.{}", self.epoch, self.list), index as u64).ok_or_else(wrong)
    }

    fn end(&self) -> Result<Position, BusError> {
        self.position(self.records.len())
    }
}

// === impl MemoryBus ===

impl MemoryBus {
    fn reached(&self) -> Result<MutexGuard<'_, State>, BusError> {
        if self.wire.is_cut.load(Ordering::SeqCst) {
            return Err(BusError::Unreachable("it is cut off".to_owned()));
        }
        Ok(self.engine.shared.lock())
    }

    fn read_now(&self, after: Option<&Position>) -> Result<Read, BusError> {
        let state = self.reached()?;
        let end = state.end()?;
        let whole_for = state.lost_at.map_or(Duration::from_secs(3600), |at| at.elapsed());
        let lost = |why| Ok(Read::Lost { end: end.clone(), why, whole_for });
        let Some(after) = after else { return lost("it begins") };
        let index = usize::try_from(after.index()).unwrap_or(usize::MAX);
        if after.epoch() != end.epoch() || index > state.records.len() {
            return lost("it was emptied");
        }
        if index < state.trimmed {
            return lost("it was trimmed");
        }
        let records = state.records.iter().enumerate().skip(index).take(BATCH);
        records
            .map(|(at, bytes)| Ok((state.position(at + 1)?, bytes.clone())))
            .collect::<Result<_, _>>()
            .map(Read::Records)
    }
}

impl PurgeBus for MemoryBus {
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>> {
        Box::pin(async move {
            let mut state = self.reached()?;
            let written = records.iter().map(|record| {
                state.records.push(record.as_bytes().to_vec());
                state.end()
            });
            let written = written.collect();
            drop(state);
            self.engine.shared.bell.notify_waiters();
            written
        })
    }

    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read> {
        Box::pin(async move {
            let rings = self.engine.shared.bell.notified();
            match self.read_now(after)? {
                Read::Records(records) if records.is_empty() => {}
                read => return Ok(read),
            }
            let _ = tokio::time::timeout(wait, rings).await;
            self.read_now(after)
        })
    }

    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position> {
        Box::pin(async move {
            while self.wire.is_still.load(Ordering::SeqCst) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let mut state = self.reached()?;
            if self.wire.is_mute.load(Ordering::SeqCst) {
                return Err(BusError::Timeout);
            }
            state.members.insert(self.node.clone(), (position.clone(), Instant::now() + lease));
            state.end()
        })
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        Box::pin(async move {
            let state = self.reached()?;
            let now = Instant::now();
            if let Some(pretended) = state.pretended {
                return Ok((state.end()?, pretended()));
            }
            let live = state.members.iter().filter(|(_, (_, until))| *until > now);
            let members = live.map(|(node, (position, _))| Member::new(node, position.clone()));
            Ok((state.end()?, members.collect::<Result<_, _>>()?))
        })
    }

    fn untold(&self) -> u32 {
        self.wire.untold.load(Ordering::SeqCst)
    }

    fn leave(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            self.reached()?.members.remove(&self.node);
            Ok(())
        })
    }
}

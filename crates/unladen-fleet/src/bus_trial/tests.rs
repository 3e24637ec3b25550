use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::purge_bus::Answer;
use crate::{BusUrl, Member, MemoryEngine};

const LEASE: Duration = Duration::from_secs(2);
/// Shorter than what an engine below takes.
const SHORT: Duration = Duration::from_millis(40);

/// An engine that takes its time to write, writes nothing, or tells of what is written only after so many times, and of so
/// many.
#[derive(Debug)]
struct Odd {
    bus: Arc<dyn PurgeBus>,
    takes: Duration,
    loses: bool,
    /// None: whoever waits gets the records themselves.
    tells_after: Option<u64>,
    tells_most: u64,
    written: AtomicU64,
}

impl Odd {
    fn new(takes: Duration, loses: bool, tells_after: Option<u64>) -> Self {
        let (bus, _) = MemoryEngine::default().bus("check.1");
        Self { bus, takes, loses, tells_after, tells_most: u64::MAX, written: AtomicU64::new(0) }
    }
}

impl PurgeBus for Odd {
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>> {
        Box::pin(async move {
            tokio::time::sleep(self.takes).await;
            self.written.fetch_add(1, Ordering::SeqCst);
            if self.loses { Ok(Vec::new()) } else { self.bus.publish(records).await }
        })
    }

    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read> {
        self.bus.read_on(after, wait)
    }

    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position> {
        self.bus.confirm(position, lease)
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        self.bus.members()
    }

    fn told(&self) -> Option<u64> {
        Some(self.written.load(Ordering::SeqCst).saturating_sub(self.tells_after?).min(self.tells_most))
    }

    fn leave(&self) -> Answer<'_, ()> {
        self.bus.leave()
    }
}

fn settings() -> BusSettings {
    let url = BusUrl::parse("valkey://nowhere.example").unwrap();
    BusSettings { url, ca: None, fleet: "shop".to_owned(), node: "check.1".to_owned(), keep: 10 }
}

#[tokio::test]
async fn a_node_that_only_tried_is_in_no_list() {
    let engine = MemoryEngine::default();
    let (bus, _) = engine.bus("check.1");
    assert_eq!(purges(&*bus, &settings(), LEASE, PATIENCE).await, Ok(None));
    let (_, members) = bus.members().await.unwrap();
    assert_eq!(members.len(), 1);
    bus.leave().await.unwrap();
    assert_eq!(bus.members().await.unwrap().1.len(), 0);
}

#[tokio::test]
async fn who_cannot_be_reached_or_come_into_the_list_is_told() {
    let engine = MemoryEngine::default();
    let (bus, wire) = engine.bus("check.1");
    wire.mute(true);
    assert_eq!(purges(&*bus, &settings(), LEASE, PATIENCE).await, Err(BusError::Timeout));
    wire.cut(true);
    let cut = purges(&*bus, &settings(), LEASE, PATIENCE).await;
    assert!(matches!(cut, Err(BusError::Unreachable(_))), "{cut:?}");
}

/// Whoever waited gave up first, and said that nothing comes back.
#[tokio::test]
async fn an_engine_that_was_slow_to_write_was_said_to_lose_it() {
    let slow = Odd::new(5 * SHORT, false, None);
    assert_eq!(purges(&slow, &settings(), LEASE, SHORT).await, Ok(None));
    let lost = purges(&Odd::new(Duration::ZERO, true, None), &settings(), LEASE, SHORT).await;
    assert!(matches!(&lost, Err(BusError::Answer(why)) if why.contains("cannot be read back")), "{lost:?}");
}

/// What was there before anybody waited for it was taken for told.
#[tokio::test]
async fn a_purge_that_was_read_without_being_told_of_passed_for_well() {
    let deaf = Odd::new(Duration::ZERO, false, Some(u64::MAX));
    assert_eq!(purges(&deaf, &settings(), LEASE, PATIENCE).await, Ok(Some(News::UNTOLD)));
    assert_eq!(deaf.written.load(Ordering::SeqCst), ROUNDS);
    // Nor is it by chance alone that one is deaf.
    let late = Odd::new(Duration::ZERO, false, Some(1));
    assert_eq!(purges(&late, &settings(), LEASE, PATIENCE).await, Ok(None));
    assert_eq!(late.written.load(Ordering::SeqCst), 3, "twice told, it is not tried again");
}

/// A pooler of transactions passed for well: on a busy machine it once gave both sessions the same connection.
#[tokio::test]
async fn a_pooler_that_told_of_one_purge_by_chance_passed_for_well() {
    let lucky = Odd { tells_most: 1, ..Odd::new(Duration::ZERO, false, Some(0)) };
    assert_eq!(purges(&lucky, &settings(), LEASE, PATIENCE).await, Ok(Some(News::UNTOLD)));
}

//! [`try_bus`]: does what a node does with an engine, once, for whoever checks a configuration.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::purge_bus::{PurgeBus, Read};
use crate::{BusError, BusSettings, News, Position, Record, What, bus};

/// All of it takes no longer.
const LONGEST: Duration = Duration::from_secs(20);
/// For what was just written to come back.
const PATIENCE: Duration = Duration::from_secs(3);
/// Purges that are written at most. An engine may tell nobody by chance, where what is written is there before it is waited
/// for. One that tells nobody, as behind a pooler of transactions, may tell of one by chance, where both sessions happen to
/// have the same connection.
const ROUNDS: u64 = 4;
/// So many of them it has to tell of.
const TOLD: usize = 2;
/// A site that no node has: what is purged there is nothing.
const NO_SITE: &str = "unladen --check --connect";

/// Writes a purge of nothing, waits until it is told of and reads it, and is in the list of nodes for a moment. What is
/// missing at the engine is made, as the first node would. Gives what works and yet is not as it should be.
///
/// # Errors
/// What a node could not do there.
pub async fn try_bus(settings: &BusSettings, lease: Duration) -> Result<Option<&'static str>, BusError> {
    let bus = bus::open(settings)?;
    let tried = timeout(LONGEST, purges(&*bus, settings, lease, PATIENCE)).await.map_err(|_| BusError::Timeout);
    // Others would wait for it: it goes whatever came of it.
    let left = timeout(PATIENCE, bus.leave()).await.map_err(|_| BusError::Timeout);
    let doubt = tried??;
    left??;
    Ok(doubt)
}

async fn purges(
    bus: &dyn PurgeBus,
    settings: &BusSettings,
    lease: Duration,
    patience: Duration,
) -> Result<Option<&'static str>, BusError> {
    let odd = |words: &str| BusError::Answer(words.to_owned());
    let Read::Lost { end: mut place, .. } = bus.read_on(None, Duration::ZERO).await? else {
        return Err(odd("it does not tell where its records end"));
    };
    let mut told = 0;
    for number in 1..=ROUNDS {
        let before = bus.told();
        place = write_and_read(bus, settings, number, place, patience).await?;
        // Who waits for the records themselves has been told by what it read.
        let needs_no_telling = before.is_none();
        told += if needs_no_telling { TOLD } else { usize::from(bus.told() > before) };
        if told >= TOLD {
            break;
        }
    }
    // Last, so that no purge of others waits for it for long.
    bus.confirm(&place, lease).await?;
    let (_, members) = bus.members().await?;
    if !members.iter().any(|member| member.node() == settings.node) {
        return Err(odd("its list of nodes has not the node that was just put into it"));
    }
    Ok((told < TOLD).then_some(News::UNTOLD))
}

/// Where it has read up to.
async fn write_and_read(
    bus: &dyn PurgeBus,
    settings: &BusSettings,
    number: u64,
    mut place: Position,
    patience: Duration,
) -> Result<Position, BusError> {
    let record =
        Record { node: settings.node.clone(), number, site: Some(NO_SITE.to_owned()), what: What::All, is_soft: true };
    let records = [record.write()];
    // None: it is still being written, which may take as long as the engine lets it.
    let written: Cell<Option<Instant>> = Cell::new(None);
    let reading = async {
        loop {
            match bus.read_on(Some(&place), patience).await? {
                Read::Records(read) if read.is_empty() => {
                    if written.get().is_some_and(|at| at.elapsed() >= patience) {
                        return Err(BusError::Answer("what was written there does not come back".to_owned()));
                    }
                }
                Read::Records(read) => {
                    let is_there = read.iter().any(|(_, bytes)| bytes == records[0].as_bytes());
                    if let Some((last, _)) = read.last() {
                        place = last.clone();
                    }
                    if is_there {
                        return Ok(place);
                    }
                }
                Read::Lost { why, .. } => return Err(BusError::Answer(why.to_owned())),
            }
        }
    };
    let writing = async {
        bus.publish(&records).await?;
        written.set(Some(Instant::now()));
        Ok(())
    };
    let (read, ()) = tokio::try_join!(reading, writing)?;
    Ok(read)
}

#[cfg(test)]
mod tests {
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
        assert!(matches!(&lost, Err(BusError::Answer(why)) if why.contains("does not come back")), "{lost:?}");
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
}

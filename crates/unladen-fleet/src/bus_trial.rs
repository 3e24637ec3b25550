//! [`try_bus`]: does what a node does with an engine, once, for whoever checks a configuration.

use std::time::Duration;

use tokio::time::timeout;

use crate::purge_bus::{PurgeBus, Read};
use crate::{BusError, BusSettings, Position, Record, What, bus};

/// All of it takes no longer.
const LONGEST: Duration = Duration::from_secs(20);
/// For what was just written to come back.
const PATIENCE: Duration = Duration::from_secs(3);
/// Before something is written that whoever waits is to be told of.
const HEAD_START: Duration = Duration::from_millis(100);
/// Of an engine that told nobody: once may be chance.
const ROUNDS: u64 = 3;
/// A site that no node has: what is purged there is nothing.
const NO_SITE: &str = "unladen --check --connect";

/// Writes a purge of nothing, waits until it is told of and reads it, and is in the list of nodes for a moment. What is
/// missing at the engine is made, as the first node would. Gives what works and yet is not as it should be.
///
/// # Errors
/// What a node could not do there.
pub async fn try_bus(settings: &BusSettings, lease: Duration) -> Result<Option<&'static str>, BusError> {
    let bus = bus::open(settings)?;
    let tried = timeout(LONGEST, purges(&*bus, settings, lease)).await.map_err(|_| BusError::Timeout);
    // Others would wait for it: it goes whatever came of it.
    let left = timeout(PATIENCE, bus.leave()).await.map_err(|_| BusError::Timeout);
    let doubt = tried??;
    left??;
    Ok(doubt)
}

async fn purges(bus: &dyn PurgeBus, settings: &BusSettings, lease: Duration) -> Result<Option<&'static str>, BusError> {
    let odd = |words: &str| BusError::Answer(words.to_owned());
    let Read::Lost { end: mut place, .. } = bus.read_on(None, Duration::ZERO).await? else {
        return Err(odd("it does not tell where its records end"));
    };
    for number in 1..=ROUNDS {
        let before = bus.untold();
        place = write_and_read(bus, settings, number, place).await?;
        if bus.untold() == before {
            break;
        }
    }
    // Last, so that no purge of others waits for it for long.
    bus.confirm(&place, lease).await?;
    let (_, members) = bus.members().await?;
    if !members.iter().any(|member| member.node() == settings.node) {
        return Err(odd("its list of nodes has not the node that was just put into it"));
    }
    Ok((bus.untold() > 0).then_some(
        "what one session notifies is not told to another: purges come up to a second late; a pooler of transactions \
         between (PgBouncer) breaks LISTEN: give the server's own address",
    ))
}

/// Where it has read up to.
async fn write_and_read(
    bus: &dyn PurgeBus,
    settings: &BusSettings,
    number: u64,
    mut place: Position,
) -> Result<Position, BusError> {
    let record =
        Record { node: settings.node.clone(), number, site: Some(NO_SITE.to_owned()), what: What::All, is_soft: true };
    let records = [record.write()];
    let reading = async {
        loop {
            match bus.read_on(Some(&place), PATIENCE).await? {
                Read::Records(read) if read.is_empty() => {
                    return Err(BusError::Answer("what was written there does not come back".to_owned()));
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
        tokio::time::sleep(HEAD_START).await;
        bus.publish(&records).await
    };
    let (read, _) = tokio::try_join!(reading, writing)?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BusUrl, MemoryEngine};

    fn settings() -> BusSettings {
        let url = BusUrl::parse("valkey://nowhere.example").unwrap();
        BusSettings { url, ca: None, fleet: "shop".to_owned(), node: "check.1".to_owned(), keep: 10 }
    }

    #[tokio::test]
    async fn a_node_that_only_tried_is_in_no_list() {
        let engine = MemoryEngine::default();
        let (bus, _) = engine.bus("check.1");
        assert_eq!(purges(&*bus, &settings(), Duration::from_secs(2)).await, Ok(None));
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
        assert_eq!(purges(&*bus, &settings(), Duration::from_secs(2)).await, Err(BusError::Timeout));
        wire.cut(true);
        let cut = purges(&*bus, &settings(), Duration::from_secs(2)).await;
        assert!(matches!(cut, Err(BusError::Unreachable(_))), "{cut:?}");
    }
}

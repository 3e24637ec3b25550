//! [`try_bus`]: does once what a node does with an engine, to check a configuration.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::purge_bus::{PurgeBus, Read};
use crate::{BusError, BusSettings, News, Position, Record, What, bus};

const LONGEST: Duration = Duration::from_secs(20);
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum purges written. A good engine may fail to notify by chance, if the record exists before the wait. One that
/// does not notify, as behind a transaction pooler, may notify by chance, if both sessions get the same connection.
const ROUNDS: u64 = 4;
const TOLD: usize = 2;
/// A site that no node has, so that its purge does nothing.
const NO_SITE: &str = "unladen --check --connect";

/// Writes a purge of nothing, waits for its notification and reads it, and enters the list of nodes for a moment.
/// Creates missing tables or streams, as the first node would. Returns a warning if it works, though not as it should.
///
/// # Errors
/// What a node could not do there.
pub async fn try_bus(settings: &BusSettings, lease: Duration) -> Result<Option<&'static str>, BusError> {
    let bus = bus::open(settings)?;
    let tried = timeout(LONGEST, purges(&*bus, settings, lease, PATIENCE)).await.map_err(|_| BusError::Timeout);
    // Others would wait for it: it leaves in any case.
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
        return Err(odd("it does not report where its records end"));
    };
    let mut told = 0;
    for number in 1..=ROUNDS {
        let before = bus.told();
        place = write_and_read(bus, settings, number, place, patience).await?;
        // An engine whose wait returns the records needs no notification.
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
        return Err(odd("its list of nodes lacks the node that was just added"));
    }
    Ok((told < TOLD).then_some(News::UNTOLD))
}

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
    // `None` while it is being written, which may take as long as the engine lets it.
    let written: Cell<Option<Instant>> = Cell::new(None);
    let reading = async {
        loop {
            match bus.read_on(Some(&place), patience).await? {
                Read::Records(read) if read.is_empty() => {
                    if written.get().is_some_and(|at| at.elapsed() >= patience) {
                        return Err(BusError::Answer("a record that was written there cannot be read back".to_owned()));
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
mod tests;

//! The principal type is [`Steps`]: what nodes ask of an engine, step by step.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use tokio::runtime::Runtime;
use unladen_fleet::{BusError, Position, PurgeBus, Read, Record, open};

use super::nodes::{bus, runtime, what};
use crate::Result;

/// Far above what anything takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Nodes that are in the list and have read all; they leave when this is dropped.
pub(super) struct Steps {
    asker: Runtime,
    buses: Vec<Arc<dyn PurgeBus>>,
    places: Vec<Position>,
    number: usize,
}

impl Steps {
    pub(super) fn start(url: &str, count: usize) -> Result<Self> {
        let mut steps = Self { asker: runtime()?, buses: Vec::new(), places: Vec::new(), number: 0 };
        for number in 0..count {
            let bus = open(&bus(url, &format!("step-{number}"))?)?;
            let end = steps.asker.block_on(async {
                match bus.read_on(None, Duration::ZERO).await? {
                    Read::Lost { end, .. } => bus.confirm(&end, PATIENCE).await,
                    Read::Records(_) => Err(BusError::Answer("it does not tell where the end is".to_owned())),
                }
            })?;
            steps.buses.push(bus);
            steps.places.push(end);
        }
        Ok(steps)
    }

    /// The first of them purges; all are told, read it and say so.
    pub(super) fn purge(&mut self) -> Result<()> {
        self.number += 1;
        let (node, site) = ("step".to_owned(), Some("shop".to_owned()));
        let record = Record { node, number: self.number as u64, site, what: what(self.number), is_soft: false }.write();
        let Self { asker, buses, places, .. } = self;
        asker.block_on(async {
            let reads = buses.iter().zip(&mut *places).map(async |(bus, place)| {
                loop {
                    match bus.read_on(Some(place), PATIENCE).await? {
                        Read::Records(records) if records.is_empty() => {}
                        Read::Records(mut records) => {
                            *place = records.pop().map_or_else(|| place.clone(), |(last, _)| last);
                            return Ok(());
                        }
                        Read::Lost { why, .. } => return Err(BusError::Answer(why.to_owned())),
                    }
                }
            });
            let publish = async {
                // By then they wait.
                tokio::time::sleep(Duration::from_millis(1)).await;
                buses[0].publish(&[record]).await
            };
            let (read, written) = tokio::join!(try_join_all(reads), publish);
            read?;
            written?;
            try_join_all(buses.iter().zip(&*places).map(|(bus, place)| bus.tell(place, PATIENCE))).await
        })?;
        Ok(())
    }

    /// All renew their leases.
    pub(super) fn beat(&self) -> Result<()> {
        let beats = self.buses.iter().zip(&self.places).map(|(bus, place)| bus.confirm(place, PATIENCE));
        self.asker.block_on(try_join_all(beats))?;
        Ok(())
    }

    /// One looks who is there.
    pub(super) fn look(&self) -> Result<()> {
        self.asker.block_on(self.buses[0].members())?;
        Ok(())
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        // Whoever does not get off it by itself is off it after its lease.
        drop(self.asker.block_on(join_all(self.buses.iter().map(|bus| bus.leave()))));
    }
}

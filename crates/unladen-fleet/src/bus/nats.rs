//! The principal type is [`Nats`]: purges by way of two streams of NATS JetStream.
//!
//! The first stream has the records. Its sequence numbers are without gaps, as all of its messages are of one subject and
//! only the oldest are removed; so a record is asked for by its number, and one that is not there was lost. Nothing is
//! kept at the server for a reader: a plain subscription says when there is something new, and what it brings is not read.
//!
//! The second stream has the last word of each node, with its lease. The server stamps it, and removes it when the longest
//! lease of any is over; a shorter one is over when the server has stamped somebody else's word that much later, and
//! whoever asks for the list has just said a word. A node that confirms is told where the first stream's end is after the second has taken its word: whoever publishes
//! later finds it in the list.
//!
//! A stream that was made again, or put back from a copy, has another time of creation or other times of its messages.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::Info;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::Mutex;
use tokio::time::timeout;

use self::link::Link;
use self::patience::PATIENCE;
use self::place::Place;
use crate::purge_bus::{Answer, BATCH, BackEnd, PurgeBus, Read};
use crate::{BusError, BusSettings, Member, Position};

mod link;
mod patience;
mod place;

/// What `[fleet]` calls it.
pub(super) const BACK_END: BackEnd = BackEnd { schemes: &["nats", "tls"], name: "NATS", open };

/// How often is looked where nobody tells.
const LOOK: Duration = Duration::from_secs(1);
/// Requests that are on their way at a time.
const AT_A_TIME: usize = 64;

/// Purges by way of two streams.
#[derive(Debug)]
struct Nats {
    place: Place,
    node: String,
    link: Mutex<Option<Arc<Link>>>,
    /// The record that was read last, and when the server says that it was written.
    last: std::sync::Mutex<Option<(Position, i128)>>,
}

fn open(settings: &BusSettings) -> Result<Arc<dyn PurgeBus>, BusError> {
    let place = Place::new(settings)?;
    Ok(Arc::new(Nats { place, node: settings.node.clone(), link: Mutex::default(), last: std::sync::Mutex::default() }))
}

// === impl Nats ===

impl Nats {
    /// The connection that is there, or a new one.
    async fn link(&self) -> Result<Arc<Link>, BusError> {
        let mut slot = self.link.lock().await;
        if let Some(link) = slot.as_ref() {
            return Ok(link.clone());
        }
        let made = timeout(PATIENCE, Link::connect(&self.place)).await.map_err(|_| BusError::Timeout)??;
        Ok(slot.insert(Arc::new(made)).clone())
    }

    /// A connection does not outlive a failure.
    async fn judged<T>(&self, link: &Arc<Link>, done: Result<T, BusError>) -> Result<T, BusError> {
        if done.is_err() {
            let mut slot = self.link.lock().await;
            if slot.as_ref().is_some_and(|other| Arc::ptr_eq(other, link)) {
                *slot = None;
            }
        }
        done
    }

    async fn write(&self, link: &Link, records: &[String]) -> Result<Vec<Position>, BusError> {
        let epoch = epoch(&link.info().await?);
        let mut on_the_way = Vec::with_capacity(records.len());
        for record in records {
            on_the_way.push(link.publish(self.place.subject(), record.clone()).await?);
        }
        let mut positions = Vec::with_capacity(records.len());
        for taken in on_the_way {
            positions.push(position(&epoch, link.taken(taken).await?)?);
        }
        Ok(positions)
    }

    /// What there is after a place now.
    async fn read(&self, link: &Link, after: Option<&Position>) -> Result<Read, BusError> {
        let info = link.info().await?;
        let (epoch, first, last) = (epoch(&info), info.state.first_sequence, info.state.last_sequence);
        let lost = |why, whole_for| {
            *self.last() = None;
            Ok(Read::Lost { end: position(&epoch, last)?, why, whole_for })
        };
        let Some(after) = after else { return lost("it begins at the end", age(&info)) };
        if after.epoch() != epoch {
            return lost("the stream was made again", Duration::ZERO);
        }
        if after.index() > last {
            return lost("the stream has less than it had", Duration::ZERO);
        }
        if after.index() < last && first > after.index() + 1 {
            return lost("the stream has been trimmed", Duration::ZERO);
        }
        // Messages of a copy that was put back have other times; no server is changed for a copy under a connection.
        let known = self.last().clone().filter(|(position, _)| position == after && first <= after.index());
        if let Some((_, time)) = known
            && !link.is_verified()
            && link.record(after.index()).await?.is_none_or(|(other, _)| other != time)
        {
            return lost("the stream was put back", Duration::ZERO);
        }
        link.verified();
        let end = last.min(after.index().saturating_add(BATCH as u64));
        let read: Vec<_> = stream::iter(after.index() + 1..=end)
            .map(|index| async move { Ok::<_, BusError>((index, link.record(index).await?)) })
            .buffered(AT_A_TIME)
            .try_collect()
            .await?;
        let mut records = Vec::with_capacity(read.len());
        for (index, message) in read {
            let Some((time, body)) = message else {
                return lost("messages of the stream were removed", Duration::ZERO);
            };
            let position = position(&epoch, index)?;
            *self.last() = Some((position.clone(), time));
            records.push((position, body));
        }
        Ok(Read::Records(records))
    }

    async fn read_or_wait(&self, link: &Link, after: Option<&Position>, wait: Duration) -> Result<Read, BusError> {
        let begun = Instant::now();
        loop {
            let read = self.read(link, after).await?;
            let left = wait.saturating_sub(begun.elapsed());
            if !matches!(&read, Read::Records(records) if records.is_empty()) || left.is_zero() {
                return Ok(read);
            }
            link.wait(left.min(LOOK)).await;
        }
    }

    async fn be(&self, link: &Link, at: &Position, lease: Duration) -> Result<Position, BusError> {
        link.keep_words_for(&self.place, lease).await?;
        let word = format!("{at} {}", lease.as_millis());
        let on_the_way = link.publish(self.place.word_of(&self.node), word).await?;
        link.taken(on_the_way).await?;
        let info = link.info().await?;
        position(&epoch(&info), info.state.last_sequence)
    }

    async fn list(&self, link: &Link) -> Result<(Position, Vec<Member>), BusError> {
        let info = link.info().await?;
        let end = position(&epoch(&info), info.state.last_sequence)?;
        let (subjects, now) = link.words(&self.place).await?;
        let members = stream::iter(subjects)
            .map(|subject| async move {
                let Some(node) = Place::node_of(&subject) else { return Ok(None) };
                // None: its lease has ended since.
                let Some((said, word)) = link.word(&subject).await? else { return Ok(None) };
                let wrong = || BusError::Answer(format!("the word of the node {node:?} is none"));
                let (position, lease) = word.split_once(' ').ok_or_else(wrong)?;
                let lease: u32 = lease.parse().map_err(|_| wrong())?;
                if said + i128::from(lease) * 1_000_000 < now {
                    return Ok(None);
                }
                let position = position.parse()?;
                Ok::<_, BusError>(Some(Member { node, position }))
            })
            .buffered(AT_A_TIME)
            .try_filter_map(|member| std::future::ready(Ok(member)))
            .try_collect()
            .await?;
        Ok((end, members))
    }

    fn last(&self) -> MutexGuard<'_, Option<(Position, i128)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PurgeBus for Nats {
    fn publish<'a>(&'a self, records: &'a [String]) -> Answer<'a, Vec<Position>> {
        Box::pin(async move {
            let link = self.link().await?;
            self.judged(&link, self.write(&link, records).await).await
        })
    }

    fn read_on<'a>(&'a self, after: Option<&'a Position>, wait: Duration) -> Answer<'a, Read> {
        Box::pin(async move {
            let link = self.link().await?;
            self.judged(&link, self.read_or_wait(&link, after, wait).await).await
        })
    }

    fn confirm<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Position> {
        Box::pin(async move {
            let link = self.link().await?;
            self.judged(&link, self.be(&link, position, lease).await).await
        })
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        Box::pin(async move {
            let link = self.link().await?;
            self.judged(&link, self.list(&link).await).await
        })
    }

    fn leave(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let link = self.link().await?;
            self.judged(&link, link.silence(&self.place, &self.node).await).await
        })
    }
}

/// Which stream it is: made at this moment.
fn epoch(info: &Info) -> String {
    format!("{:x}", info.created.unix_timestamp_nanos())
}

fn position(epoch: &str, index: u64) -> Result<Position, BusError> {
    Position::new(epoch, index).ok_or_else(|| BusError::Answer(format!("{epoch:?} is no epoch")))
}

/// For at least so long there has been this stream: from when it was made until its last message, by the server's clock.
fn age(info: &Info) -> Duration {
    let age = info.state.last_timestamp.unix_timestamp_nanos() - info.created.unix_timestamp_nanos();
    u64::try_from(age).map(Duration::from_nanos).unwrap_or_default()
}

//! The principal type is [`Nats`]: purges by two streams of NATS JetStream.
//!
//! The first stream has the records. Its sequence numbers have no gaps, as all of its messages have one subject and
//! only the oldest are removed; so a record is requested by number, and a missing one was lost. The server keeps no
//! state for a reader: a plain subscription only signals news, and its content is not read.
//!
//! The second stream has the last word of each node, with its lease. The server stamps it, and removes it when the
//! longest lease of any node is over; a shorter one is over when the server has stamped another node's word that much
//! later, and a node that requests the list has just sent a word. A node that confirms gets the first stream's end
//! after the second has stored its word: later publishers find it in the list.
//!
//! A recreated or restored stream has another creation time or other message times: both streams' times are the epoch.
//! If somebody removes the second stream's messages, each node finds its own word gone at the next one, and does not
//! answer who is in the list for a lease from then on.

mod link;
mod place;

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::Mutex;
use tokio::time::timeout;

use self::link::Link;
use self::place::{PATIENCE, Place};
use crate::purge_bus::{Answer, BATCH, BackEnd, PurgeBus, Read};
use crate::{BusError, BusSettings, Member, Position};

pub(super) const BACK_END: BackEnd = BackEnd { schemes: &["nats", "tls"], name: "NATS", open };

/// Interval of looks without notifications.
const LOOK: Duration = Duration::from_secs(1);
const YOUNG: &str = "its list of nodes lacked this node's entry for a moment: others may be missing from it";
const AT_A_TIME: usize = 64;
/// Pause before the next look for a notified record that the stream does not have yet, doubled each time …
const SOON: Duration = Duration::from_millis(1);
/// … up to this.
const LATEST_SOON: Duration = Duration::from_millis(32);

#[derive(Debug)]
struct Nats {
    place: Place,
    node: String,
    link: Mutex<Option<Arc<Link>>>,
    last: std::sync::Mutex<Option<(Position, i128)>>,
    own: std::sync::Mutex<OwnWord>,
    /// End of the last complete answer, and its connection: later records are notified there.
    whole: std::sync::Mutex<Option<(Weak<Link>, Position)>>,
}

#[derive(Debug, Default)]
struct OwnWord {
    /// Whether the word was sent once; before, the time for which the list has been whole is unknown.
    is_known: bool,
    /// Its number, and when its sending began.
    said: Option<(u64, Instant)>,
    /// Until then, others may be missing from the list, as this node was.
    young_until: Option<Instant>,
    /// Since then, each word has followed its predecessor.
    since: Option<Instant>,
}

fn open(settings: &BusSettings) -> Result<Arc<dyn PurgeBus>, BusError> {
    let place = Place::new(settings)?;
    Ok(Arc::new(Nats {
        place,
        node: settings.node.clone(),
        link: Mutex::default(),
        last: std::sync::Mutex::default(),
        own: std::sync::Mutex::default(),
        whole: std::sync::Mutex::default(),
    }))
}

// === impl Nats ===

impl Nats {
    async fn link(&self) -> Result<Arc<Link>, BusError> {
        let mut slot = self.link.lock().await;
        if let Some(link) = slot.as_ref() {
            return Ok(link.clone());
        }
        let made = timeout(PATIENCE, Link::connect(&self.place)).await.map_err(|_| BusError::Timeout);
        let made = made.flatten().map_err(|error| self.place.forbidden.explains(error))?;
        Ok(slot.insert(Arc::new(made)).clone())
    }

    async fn judged<T>(&self, link: &Arc<Link>, done: Result<T, BusError>) -> Result<T, BusError> {
        if done.is_err() {
            let mut slot = self.link.lock().await;
            if slot.as_ref().is_some_and(|other| Arc::ptr_eq(other, link)) {
                *slot = None;
            }
        }
        done.map_err(|error| self.place.forbidden.explains(error))
    }

    async fn write(&self, link: &Link, records: &[String]) -> Result<Vec<Position>, BusError> {
        // The last known epoch: if the stream was recreated since, this is no position in it, and those that wait learn
        // so once this node notices.
        let epoch = link.epoch();
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

    /// The current records after a position. `is_told`: a record was notified, and is requested at once.
    async fn read(&self, link: &Link, after: Option<&Position>, is_told: bool) -> Result<Read, BusError> {
        let ahead = async {
            match after.filter(|_| is_told) {
                Some(after) => link.record(after.index().saturating_add(1)).await,
                None => Ok(None),
            }
        };
        let (info, ahead) = tokio::join!(link.info(), ahead);
        let (info, mut ahead) = (info?, ahead?);
        let (epoch, first, last) = (link.epoch_of(&info), info.state.first_sequence, info.state.last_sequence);
        // The server does not tell whether words were removed from the stream of nodes before this node's first one.
        let whole_for = match after {
            Some(after) if after.epoch() == epoch => self.own().whole_for(),
            _ => Duration::ZERO,
        };
        let lost = |why| {
            *self.last() = None;
            Ok(Read::Lost { end: position(&epoch, last)?, why, whole_for })
        };
        let Some(after) = after else { return lost("it begins at the end") };
        if after.epoch() != epoch {
            return lost("the stream was created again");
        }
        if after.index() > last {
            return lost("the stream has fewer messages than before");
        }
        if after.index() < last && first > after.index() + 1 {
            return lost("the stream has been trimmed");
        }
        // Messages of a restored copy have other times; a server does not change to a copy under an open connection.
        let known = self.last().clone().filter(|(position, _)| position == after && first <= after.index());
        if let Some((_, time)) = known
            && !link.is_verified.load(Ordering::Relaxed)
            && link.record(after.index()).await?.is_none_or(|(other, _)| other != time)
        {
            return lost("the stream was restored from an older state");
        }
        link.is_verified.store(true, Ordering::Relaxed);
        let end = last.min(after.index().saturating_add(BATCH as u64));
        let read: Vec<_> = stream::iter(after.index() + 1..=end)
            .map(|index| {
                let ahead = ahead.take();
                async move {
                    match ahead {
                        Some(ahead) => Ok::<_, BusError>((index, Some(ahead))),
                        None => Ok((index, link.record(index).await?)),
                    }
                }
            })
            .buffered(AT_A_TIME)
            .try_collect()
            .await?;
        let mut records = Vec::with_capacity(read.len());
        for (index, message) in read {
            let Some((time, body)) = message else {
                return lost("messages of the stream were removed");
            };
            let position = position(&epoch, index)?;
            *self.last() = Some((position.clone(), time));
            records.push((position, body));
        }
        Ok(Read::Records(records))
    }

    async fn read_or_wait(&self, link: &Arc<Link>, after: Option<&Position>, wait: Duration) -> Result<Read, BusError> {
        let begun = Instant::now();
        // The last answer was complete, and later records are notified: so it waits first.
        let is_whole = after.is_some_and(|after| {
            let whole = self.whole();
            whole.as_ref().is_some_and(|(by, last)| last == after && by.ptr_eq(&Arc::downgrade(link)))
        });
        let mut is_told = is_whole && link.wait(wait.min(LOOK)).await;
        let mut soon = SOON;
        loop {
            let read = self.read(link, after, is_told).await?;
            let left = wait.saturating_sub(begun.elapsed());
            match &read {
                Read::Records(records) if records.is_empty() && !left.is_zero() => {
                    let is_owed = link.unread.load(Ordering::Relaxed) > 0 && soon <= LATEST_SOON;
                    is_told = link.wait(left.min(if is_owed { soon } else { LOOK })).await;
                    soon *= 2;
                    if !is_told && !is_owed {
                        link.unread.store(0, Ordering::Relaxed);
                    }
                }
                Read::Records(records) => {
                    link.unread.fetch_sub(records.len() as i64, Ordering::Relaxed);
                    let last = records.last().map(|(last, _)| last.clone()).filter(|_| records.len() < BATCH);
                    *self.whole() = last.map(|last| (Arc::downgrade(link), last));
                    return Ok(read);
                }
                Read::Lost { .. } => return Ok(read),
            }
        }
    }

    async fn be(&self, link: &Link, at: &Position, lease: Duration) -> Result<Position, BusError> {
        link.keep_words_for(&self.place, lease).await?;
        let word = format!("{at} {}", lease.as_millis());
        let begun = Instant::now();
        // Whether the previous word still exists, by this node's clock, with an eighth for clock differences. If that
        // is uncertain, the list may have lost it, and others.
        let (is_known, before) = {
            let mut own = self.own();
            (std::mem::replace(&mut own.is_known, true), own.said.take())
        };
        let is_in = before.filter(|(_, said)| begun.duration_since(*said) < lease - lease / 8);
        let taken = match is_in {
            Some((number, _)) => link.say(&self.place, &self.node, &word, Some(number)).await?,
            None => None,
        };
        let number = match taken {
            Some(number) => number,
            None => {
                let number = link.say(&self.place, &self.node, &word, None).await?;
                let mut own = self.own();
                own.since = None;
                if is_known {
                    own.young_until = Some(Instant::now() + lease);
                }
                drop(own);
                number.ok_or_else(|| BusError::Answer("it does not accept this node's entry".to_owned()))?
            }
        };
        {
            let mut own = self.own();
            own.said = Some((number, begun));
            own.since.get_or_insert_with(Instant::now);
        }
        // Both after the word was sent.
        let (is_same, info) = tokio::join!(link.is_same_list(), link.info());
        is_same?;
        let info = info?;
        position(&link.epoch_of(&info), info.state.last_sequence)
    }

    /// Like `be`, without the end, which costs two more requests. `None` if they are needed.
    async fn say_on(&self, link: &Link, at: &Position, lease: Duration) -> Result<Option<()>, BusError> {
        let begun = Instant::now();
        // No other word of this node is sent meanwhile: there is one beat.
        let before = self.own().said.filter(|(_, said)| begun.duration_since(*said) < lease - lease / 8);
        let Some((number, _)) = before else { return Ok(None) };
        let word = format!("{at} {}", lease.as_millis());
        match link.say(&self.place, &self.node, &word, Some(number)).await? {
            Some(number) => {
                self.own().said = Some((number, begun));
                Ok(Some(()))
            }
            None => Ok(None),
        }
    }

    async fn list(&self, link: &Link) -> Result<(Position, Vec<Member>), BusError> {
        let (info, words) = tokio::join!(link.info(), link.words(&self.place));
        let info = info?;
        let end = position(&link.epoch_of(&info), info.state.last_sequence)?;
        let (subjects, now) = words?;
        let members = stream::iter(subjects)
            .map(|subject| async move {
                let Some(node) = Place::node_of(&subject) else { return Ok(None) };
                // Its lease has ended since.
                let Some((said, word)) = link.word(&subject).await? else { return Ok(None) };
                let wrong = || BusError::Answer(format!("the entry of the node {node:?} is invalid"));
                let (position, lease) = word.split_once(' ').ok_or_else(wrong)?;
                let lease: u32 = lease.parse().map_err(|_| wrong())?;
                if said + i128::from(lease) * 1_000_000 < now {
                    return Ok(None);
                }
                let position = position.parse()?;
                Ok::<_, BusError>(Some(Member::new(&node, position)?))
            })
            .buffered(AT_A_TIME)
            .try_filter_map(|member| std::future::ready(Ok(member)))
            .try_collect()
            .await?;
        // Ensures that all words are of the stream that was looked at first.
        link.is_same_list().await?;
        Ok((end, members))
    }

    fn own(&self) -> MutexGuard<'_, OwnWord> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn whole(&self) -> MutexGuard<'_, Option<(Weak<Link>, Position)>> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn tell<'a>(&'a self, position: &'a Position, lease: Duration) -> Answer<'a, Option<Position>> {
        Box::pin(async move {
            let link = self.link().await?;
            let said = self.say_on(&link, position, lease).await;
            if self.judged(&link, said).await?.is_some() {
                return Ok(None);
            }
            self.judged(&link, self.be(&link, position, lease).await).await.map(Some)
        })
    }

    fn members(&self) -> Answer<'_, (Position, Vec<Member>)> {
        Box::pin(async move {
            let link = self.link().await?;
            let listed = self.judged(&link, self.list(&link).await).await?;
            // Checked afterwards, as it may have been noticed meanwhile. The connection remains good.
            if self.own().young_until.is_some_and(|until| Instant::now() < until) {
                return Err(BusError::Answer(YOUNG.to_owned()));
            }
            Ok(listed)
        })
    }

    fn leave(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let link = self.link().await?;
            *self.own() = OwnWord::default();
            self.judged(&link, link.silence(&self.place, &self.node).await).await
        })
    }
}

impl OwnWord {
    /// For this long nobody has removed all words: this node's was there.
    fn whole_for(&self) -> Duration {
        self.since.map(|since| since.elapsed()).unwrap_or_default()
    }
}

fn position(epoch: &str, index: u64) -> Result<Position, BusError> {
    Position::new(epoch, index).ok_or_else(|| BusError::Answer(format!("{epoch:?} is not an epoch")))
}

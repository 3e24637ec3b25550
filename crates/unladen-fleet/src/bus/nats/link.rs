//! The principal type is [`Link`]: a connection to a NATS server, with a fleet's streams there.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::jetstream::context::{PublishAckFuture, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Info, LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use futures_util::{StreamExt, TryStreamExt};
use tokio::sync::Mutex;
use tokio::time::timeout;
use unladen_tls::TlsFault;

use super::patience::PATIENCE;
use super::place::Place;
use crate::BusError;
use crate::bus::handshake::Handshake;
use crate::plain::plain;
use crate::purge_bus::MEMBERS;
use crate::record::LONGEST;

/// So long words are kept before a node has said how long its lease is.
const SHORTEST_KEPT: Duration = Duration::from_secs(2);

/// A connection, with a fleet's streams.
pub(super) struct Link {
    context: Context,
    records: Stream,
    /// Of nodes' last words.
    nodes: Stream,
    /// Whether that keeps words for as long as this node's lease.
    is_kept: AtomicBool,
    news: Mutex<Subscriber>,
    is_verified: AtomicBool,
    /// When the stream of records was made, by what was said of it last.
    made: AtomicI64,
    /// Records that were told of and not read; fewer than none: what is read will be told of.
    unread: AtomicI64,
}

// === impl Link ===

impl Link {
    pub(super) async fn connect(place: &Place) -> Result<Self, BusError> {
        let client =
            place.options().connect(&place.address).await.map_err(|error| unreachable(&place.address, &error))?;
        // Before the stream is looked at: what comes in between is told.
        let news = client.subscribe(place.subject()).await.map_err(said)?;
        let mut context = jetstream::new(client);
        context.set_timeout(PATIENCE);
        let records = context.get_or_create_stream(place.records()).await.map_err(said)?;
        let nodes = context.get_or_create_stream(place.nodes(SHORTEST_KEPT)).await.map_err(said)?;
        let made = AtomicI64::new(made(records.cached_info()));
        Ok(Self {
            context,
            made,
            records,
            nodes,
            is_kept: AtomicBool::new(false),
            news: Mutex::new(news),
            is_verified: AtomicBool::new(false),
            unread: AtomicI64::new(0),
        })
    }

    /// How the stream of records is.
    pub(super) async fn info(&self) -> Result<Info, BusError> {
        let info = in_time(self.records.get_info()).await?;
        self.made.store(made(&info), Ordering::Relaxed);
        Ok(info)
    }

    /// Which streams they are, by what was said of them last: made at these moments. It may be another by now; whoever
    /// reads finds out.
    pub(super) fn epoch(&self) -> String {
        format!("{:x}.{:x}", self.made.load(Ordering::Relaxed), self.list_made())
    }

    /// Which streams they are, by this: what else it says is of them.
    pub(super) fn epoch_of(&self, info: &Info) -> String {
        format!("{:x}.{:x}", made(info), self.list_made())
    }

    /// When a record was written and what it is; none: it is not there. One that is longer than any is empty.
    pub(super) async fn record(&self, index: u64) -> Result<Option<(i128, Vec<u8>)>, BusError> {
        match timeout(PATIENCE, self.records.get_raw_message(index)).await {
            Ok(Ok(message)) => {
                let body = if message.payload.len() <= LONGEST { message.payload.to_vec() } else { Vec::new() };
                Ok(Some((message.time.unix_timestamp_nanos(), body)))
            }
            Ok(Err(error)) if is_none(&error.kind()) => Ok(None),
            Ok(Err(error)) => Err(said(error)),
            Err(_) => Err(BusError::Timeout),
        }
    }

    /// It is on its way.
    pub(super) async fn publish(&self, subject: String, text: String) -> Result<PublishAckFuture, BusError> {
        in_time(self.context.publish(subject, text.into())).await
    }

    /// The server has it on disk: its number.
    pub(super) async fn taken(&self, on_the_way: PublishAckFuture) -> Result<u64, BusError> {
        in_time(on_the_way.into_future()).await.map(|acknowledged| acknowledged.sequence)
    }

    /// Waits until there may be something new, or so long: whether it was told so.
    pub(super) async fn wait(&self, longest: Duration) -> bool {
        let mut news = self.news.lock().await;
        if !matches!(timeout(longest, news.next()).await, Ok(Some(_))) {
            return false;
        }
        self.unread.fetch_add(1, Ordering::Relaxed);
        // One look is enough for all that have been told of.
        while timeout(Duration::ZERO, news.next()).await.is_ok_and(|message| message.is_some()) {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
        true
    }

    /// So many records were read.
    pub(super) fn has_read(&self, count: usize) {
        self.unread.fetch_sub(i64::try_from(count).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Whether more was told of than was read: who listens may be told before the stream has it.
    pub(super) fn is_owed(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > 0
    }

    /// What is owed does not come, or what was read is not told of: who falls behind is not told of all.
    pub(super) fn settle(&self) {
        self.unread.store(0, Ordering::Relaxed);
    }

    /// Whether it is known that the stream is the one that was read by the connection before.
    pub(super) fn is_verified(&self) -> bool {
        self.is_verified.load(Ordering::Relaxed)
    }

    pub(super) fn verified(&self) {
        self.is_verified.store(true, Ordering::Relaxed);
    }

    /// Makes the stream of nodes, or has it keep words for longer, if another's lease was shorter.
    pub(super) async fn keep_words_for(&self, place: &Place, lease: Duration) -> Result<(), BusError> {
        if self.is_kept.load(Ordering::Relaxed) {
            return Ok(());
        }
        if in_time(self.nodes.get_info()).await?.config.max_age < lease {
            in_time(self.context.update_stream(place.nodes(lease))).await?;
        }
        self.is_kept.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The subjects of the nodes whose words are there, and when the latest of them was stamped.
    pub(super) async fn words(&self, place: &Place) -> Result<(Vec<String>, i128), BusError> {
        let subjects = in_time(self.nodes.info_with_subjects(place.words())).await?;
        let latest = subjects.info.state.last_timestamp.unix_timestamp_nanos();
        let subjects = subjects.take(MEMBERS).map_ok(|(subject, _)| subject);
        Ok((in_time(subjects.try_collect()).await?, latest))
    }

    /// What the node of this subject said last, and when that was stamped; none: it is gone.
    pub(super) async fn word(&self, subject: &str) -> Result<Option<(i128, String)>, BusError> {
        match timeout(PATIENCE, self.nodes.get_last_raw_message_by_subject(subject)).await {
            Ok(Ok(message)) => {
                let word = String::from_utf8_lossy(&message.payload).into_owned();
                Ok(Some((message.time.unix_timestamp_nanos(), word)))
            }
            Ok(Err(error)) if is_none(&error.kind()) => Ok(None),
            Ok(Err(error)) => Err(said(error)),
            Err(_) => Err(BusError::Timeout),
        }
    }

    /// Removes a node's last word.
    pub(super) async fn silence(&self, place: &Place, node: &str) -> Result<(), BusError> {
        in_time(self.nodes.purge().filter(place.word_of(node)).into_future()).await.map(drop)
    }

    /// Says a node's word: its number. If it is to follow that of a number, and that is not there any more: none.
    pub(super) async fn say(
        &self,
        place: &Place,
        node: &str,
        word: &str,
        follows: Option<u64>,
    ) -> Result<Option<u64>, BusError> {
        let message = PublishMessage::build().payload(word.to_owned().into());
        let message = match follows {
            Some(number) => message.expected_last_subject_sequence(number),
            None => message,
        };
        let on_the_way = in_time(self.context.send_publish(place.word_of(node), message)).await?;
        match timeout(PATIENCE, on_the_way.into_future()).await {
            Ok(Ok(acknowledged)) => Ok(Some(acknowledged.sequence)),
            Ok(Err(error)) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(None),
            Ok(Err(error)) => Err(said(error)),
            Err(_) => Err(BusError::Timeout),
        }
    }

    /// When the stream of nodes was made that there was when it was connected.
    pub(super) fn list_made(&self) -> i128 {
        self.nodes.cached_info().created.unix_timestamp_nanos()
    }

    /// Fails if the stream of nodes was made again since it was connected.
    pub(super) async fn is_same_list(&self) -> Result<(), BusError> {
        let now = in_time(self.nodes.get_info()).await?;
        if now.created.unix_timestamp_nanos() == self.list_made() {
            return Ok(());
        }
        Err(BusError::Answer("somebody made the stream of nodes again".to_owned()))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

/// Nanoseconds of 1970.
fn made(info: &Info) -> i64 {
    i64::try_from(info.created.unix_timestamp_nanos()).unwrap_or_default()
}

fn is_none(kind: &LastRawMessageErrorKind) -> bool {
    match kind {
        LastRawMessageErrorKind::NoMessageFound => true,
        LastRawMessageErrorKind::JetStream(error) => error.error_code() == ErrorCode::NO_MESSAGE_FOUND,
        _ => false,
    }
}

async fn in_time<T, E: Error>(what: impl Future<Output = Result<T, E>>) -> Result<T, BusError> {
    timeout(PATIENCE, what).await.map_err(|_| BusError::Timeout)?.map_err(said)
}

fn said(error: impl Error) -> BusError {
    judged(plain(&error.to_string()))
}

/// What the server does not do it says with a code of its API; the client library says of its own that time was over.
fn judged(words: String) -> BusError {
    let does = match words.split_once("error code ").and_then(|(_, after)| after.trim_end_matches(')').parse().ok()) {
        None if words.contains("timed out") => return BusError::Timeout,
        None => return BusError::Answer(words),
        Some(FULL | FULL_OF_MESSAGES) => ": the stream is full, and is to discard what is old (`discard`)",
        Some(NO_ROOM | NO_ROOM_ON_DISK) => ": JetStream has no room for more",
        Some(OFF | OFF_FOR_ACCOUNT) => ": JetStream is to be enabled, for this account, too",
        Some(_) => "",
    };
    BusError::Refused(format!("{words}{does}"))
}

/// Error codes of JetStream's API.
const FULL: u32 = 10_077;
const FULL_OF_MESSAGES: u32 = 10_078;
const NO_ROOM: u32 = 10_023;
const NO_ROOM_ON_DISK: u32 = 10_047;
const OFF: u32 = 10_076;
const OFF_FOR_ACCOUNT: u32 = 10_039;

/// What to do where TLS fails.
const HANDSHAKE: Handshake = Handshake {
    authority: "name the file that has its authority: `ca`, with a URL of `tls://`",
    name: "use such a name in the URL, or name a file that has this very certificate: `ca`",
    plain: "write `nats://`, or set `tls` there",
    certificate: "take `verify` and `verify_and_map` from its `tls`",
};

/// The client library calls what fails in the handshake an error of reading or writing.
fn tls_fault(error: &async_nats::ConnectError) -> Option<TlsFault> {
    let mut cause = error.source();
    while let Some(one) = cause {
        if let Some(fault) = one.downcast_ref::<io::Error>().and_then(TlsFault::after) {
            return Some(fault);
        }
        cause = one.source();
    }
    None
}

fn unreachable(address: &str, error: &async_nats::ConnectError) -> BusError {
    use async_nats::ConnectErrorKind::{Authentication, AuthorizationViolation, Tls};
    if let Some(fault) = tls_fault(error) {
        return HANDSHAKE.failed(address, &fault);
    }
    let words = format!("{address}: {}", plain(&error.to_string()));
    match error.kind() {
        Authentication | AuthorizationViolation => BusError::Refused(format!(
            "{words} (give what it asks for: `nats://user:password@host`, or a token: `nats://TOKEN@host`; nkeys and \
             files of credentials are not used)"
        )),
        Tls => BusError::Refused(words),
        _ => BusError::Unreachable(words),
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Link`]: a connection to a NATS server, with a fleet's streams there.

use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;
use std::{fmt, io};

use async_nats::Subscriber;
use async_nats::jetstream::context::{PublishAckFuture, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Info, LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use futures_util::{StreamExt, TryStreamExt};
use tokio::sync::Mutex;
use tokio::time::timeout;
use unladen_tls::TlsFault;

use crate::BusError;
use crate::bus::nats::place::{PATIENCE, Place};
use crate::error::{Handshake, plain};
use crate::purge_bus::MEMBERS;
use crate::record::LONGEST;

/// Minimum lifetime of words before a node has given its lease.
const SHORTEST_KEPT: Duration = Duration::from_secs(2);

pub(super) struct Link {
    context: Context,
    records: Stream,
    nodes: Stream,
    /// Whether the stream of nodes keeps words for as long as this node's lease.
    is_kept: AtomicBool,
    news: Mutex<Subscriber>,
    pub(super) is_verified: AtomicBool,
    /// Last known creation time of the stream of records.
    made: AtomicI64,
    /// Notified records not yet read, which the stream may have later; negative if records were read before their
    /// notification.
    pub(super) unread: AtomicI64,
}

impl Link {
    pub(super) async fn connect(place: &Place) -> Result<Self, BusError> {
        let client =
            place.options().connect(&place.address).await.map_err(|error| unreachable(&place.address, &error))?;
        // Before the stream is looked at, so that records in between are notified.
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

    pub(super) async fn info(&self) -> Result<Info, BusError> {
        let info = in_time(self.records.get_info()).await?;
        self.made.store(made(&info), Ordering::Relaxed);
        Ok(info)
    }

    /// Epoch by the last known creation times. It may have changed; reading shows it.
    pub(super) fn epoch(&self) -> String {
        format!("{:x}.{:x}", self.made.load(Ordering::Relaxed), self.list_made())
    }

    pub(super) fn epoch_of(&self, info: &Info) -> String {
        format!("{:x}.{:x}", made(info), self.list_made())
    }

    /// Time and content of a record; `None` if it is missing. An oversized one is empty.
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

    pub(super) async fn publish(&self, subject: String, text: String) -> Result<PublishAckFuture, BusError> {
        in_time(self.context.publish(subject, text.into())).await
    }

    pub(super) async fn taken(&self, on_the_way: PublishAckFuture) -> Result<u64, BusError> {
        in_time(on_the_way.into_future()).await.map(|acknowledged| acknowledged.sequence)
    }

    /// Waits until there may be news, at most `longest`; returns whether it was notified.
    pub(super) async fn wait(&self, longest: Duration) -> bool {
        let mut news = self.news.lock().await;
        if !matches!(timeout(longest, news.next()).await, Ok(Some(_))) {
            return false;
        }
        self.unread.fetch_add(1, Ordering::Relaxed);
        // One look is enough for all notifications so far.
        while timeout(Duration::ZERO, news.next()).await.is_ok_and(|message| message.is_some()) {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
        true
    }

    /// Creates the stream of nodes, or extends its retention, if another node's lease was shorter.
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

    pub(super) async fn words(&self, place: &Place) -> Result<(Vec<String>, i128), BusError> {
        let subjects = in_time(self.nodes.info_with_subjects(place.words())).await?;
        let latest = subjects.info.state.last_timestamp.unix_timestamp_nanos();
        let subjects = subjects.take(MEMBERS).map_ok(|(subject, _)| subject);
        Ok((in_time(subjects.try_collect()).await?, latest))
    }

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

    pub(super) async fn silence(&self, place: &Place, node: &str) -> Result<(), BusError> {
        in_time(self.nodes.purge().filter(place.word_of(node)).into_future()).await.map(drop)
    }

    /// Sends a node's word; returns its number. `None` if it is to follow a number that no longer exists.
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

    pub(super) fn list_made(&self) -> i128 {
        self.nodes.cached_info().created.unix_timestamp_nanos()
    }

    /// Fails if the stream of nodes was recreated since.
    pub(super) async fn is_same_list(&self) -> Result<(), BusError> {
        let now = in_time(self.nodes.get_info()).await?;
        if now.created.unix_timestamp_nanos() == self.list_made() {
            return Ok(());
        }
        Err(BusError::Answer("the stream of nodes was created again by something else".to_owned()))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

/// Nanoseconds since 1970.
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

/// The server's errors have an API code; the client library reports timeouts by itself.
fn judged(words: String) -> BusError {
    let does = match words.split_once("error code ").and_then(|(_, after)| after.trim_end_matches(')').parse().ok()) {
        None if words.contains("timed out") => return BusError::Timeout,
        None => return BusError::Answer(words),
        Some(FULL | FULL_OF_MESSAGES) => ": the stream is full, and should discard old messages (`discard`)",
        Some(NO_ROOM | NO_ROOM_ON_DISK) => ": JetStream has no space left",
        Some(OFF | OFF_FOR_ACCOUNT) => ": JetStream must be enabled, also for this account",
        Some(_) => "",
    };
    BusError::Refused(format!("{words}{does}"))
}

const FULL: u32 = 10_077;
const FULL_OF_MESSAGES: u32 = 10_078;
const NO_ROOM: u32 = 10_023;
const NO_ROOM_ON_DISK: u32 = 10_047;
const OFF: u32 = 10_076;
const OFF_FOR_ACCOUNT: u32 = 10_039;

const HANDSHAKE: Handshake = Handshake {
    authority: "set `ca` to the file of its authority, with a `tls://` URL",
    name: "use such a name in the URL, or set `ca` to a file with exactly this certificate",
    plain: "write `nats://`, or set `tls` there",
    certificate: "remove `verify` and `verify_and_map` from its `tls`",
};

/// The client library reports handshake errors as read or write errors.
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
            "{words} (add credentials: `nats://user:password@host`, or a token: `nats://TOKEN@host`; nkeys and \
             credentials files are not supported)"
        )),
        Tls => BusError::Refused(words),
        _ => BusError::Unreachable(words),
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Place`]: address of a NATS server, and names of a fleet's streams and subjects.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};
use async_nats::{ConnectOptions, Event, ServerError};
use rustls::ClientConfig;
use unladen_tls::client_config;

use crate::error::plain;
use crate::record::LONGEST;
use crate::{BusError, BusSettings};

/// Maximum bytes of a node's word, far above its real size.
const LONGEST_WORD: i32 = 1024;
/// Maximum bytes of a node's name in a subject, with two digits for each byte.
const LONGEST_NAME: usize = 1024;
/// The server's window for duplicate messages: none has an id here.
const TWICE: Duration = Duration::from_millis(100);

pub(super) struct Place {
    /// Without user and password.
    pub(super) address: String,
    tls: Option<ClientConfig>,
    user: Option<(String, Option<String>)>,
    fleet: String,
    keep: i64,
    pub(super) forbidden: Forbidden,
}

impl Place {
    pub(super) fn new(settings: &BusSettings) -> Result<Self, BusError> {
        let url = &settings.url;
        let wrong = |words: &str| BusError::Url(format!("`{url}`: {words}"));
        let host = url.host().ok_or_else(|| wrong("it has no host: `nats://host:4222`"))?;
        if url.query().is_some() || !matches!(url.path(), "" | "/") {
            return Err(wrong("nothing may follow the host and its port"));
        }
        let is_tls = url.scheme() == "tls";
        if settings.ca.is_some() && !is_tls {
            return Err(wrong("`ca` is for TLS: write `tls://`"));
        }
        let tls =
            if is_tls { Some(client_config(settings.ca.as_deref()).map_err(|error| wrong(&error))?) } else { None };
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .map_err(|_| wrong("user and password must be UTF-8, with `%` escapes where needed"))
        };
        let user = match url.credentials() {
            (user, None) if user.is_empty() => None,
            (user, password) => Some((text(user)?, password.map(text).transpose()?)),
        };
        let keep = i64::try_from(settings.keep).unwrap_or(i64::MAX).max(1);
        let address = format!("{}://{host}:{}", url.scheme(), url.port().unwrap_or(PORT));
        let (fleet, forbidden) = (encoded(&settings.fleet), Forbidden::default());
        Ok(Self { address, tls, user, fleet, keep, forbidden })
    }

    pub(super) fn options(&self) -> ConnectOptions {
        // This crate reconnects by itself, since it knows then what it may have missed.
        let forbidden = self.forbidden.clone();
        let options = ConnectOptions::new()
            .name("unladen")
            .event_callback(move |event| {
                forbidden.hear(&event);
                std::future::ready(())
            })
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .max_reconnects(1)
            .ignore_discovered_servers()
            .subscription_capacity(16)
            .require_tls(self.tls.is_some());
        let options = match &self.tls {
            Some(tls) => options.tls_client_config(tls.clone()),
            None => options,
        };
        match self.user.clone() {
            Some((user, Some(password))) => options.user_and_password(user, password),
            // As in NATS's own tools: a user without a password is a token.
            Some((token, None)) => options.token(token),
            None => options,
        }
    }

    pub(super) fn subject(&self) -> String {
        format!("unladen.{}.purge", self.fleet)
    }

    pub(super) fn words(&self) -> String {
        format!("unladen.{}.node.*", self.fleet)
    }

    pub(super) fn word_of(&self, node: &str) -> String {
        format!("unladen.{}.node.{}", self.fleet, encoded(node))
    }

    pub(super) fn node_of(subject: &str) -> Option<String> {
        let name = subject.rsplit('.').next().filter(|name| name.len() <= LONGEST_NAME)?;
        decoded(name)
    }

    pub(super) fn records(&self) -> Config {
        Config {
            name: format!("UNLADEN_{}", self.fleet),
            subjects: vec![self.subject()],
            max_messages: self.keep,
            max_message_size: i32::try_from(LONGEST).unwrap_or(i32::MAX),
            ..common()
        }
    }

    pub(super) fn nodes(&self, lease: Duration) -> Config {
        Config {
            name: self.nodes_name(),
            subjects: vec![self.words()],
            max_messages_per_subject: 1,
            max_age: lease,
            max_message_size: LONGEST_WORD,
            ..common()
        }
    }

    pub(super) fn nodes_name(&self) -> String {
        format!("UNLADEN_{}_NODES", self.fleet)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

const PORT: u16 = 4222;

/// Common configuration: on disk, and old messages make room.
fn common() -> Config {
    Config {
        discard: DiscardPolicy::Old,
        storage: StorageType::File,
        duplicate_window: TWICE,
        num_replicas: 1,
        ..Config::default()
    }
}

/// Keeps letters, digits, `-` and `_`, and escapes others, such as the dots between the words of a subject, as `=` and
/// two digits.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("={byte:02x}");
        }
    }
    encoded
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '=' {
            bytes.push(u8::from_str_radix(rest.get(1..3)?, 16).ok()?);
            rest = rest.get(3..)?;
        } else {
            bytes.push(u8::try_from(first).ok()?);
            rest = rest.get(first.len_utf8()..)?;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Time limit of connecting, and of an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Operations that a NATS server forbids its user. It reports them beside its answers, and does not answer a forbidden
/// request: the caller only sees silence.
#[derive(Clone, Debug, Default)]
pub(super) struct Forbidden(Arc<Mutex<Option<String>>>);

impl Forbidden {
    pub(super) fn hear(&self, event: &Event) {
        if let Event::ServerError(ServerError::Other(words)) = event
            && words.to_ascii_lowercase().contains("permissions violation")
        {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(plain(words));
        }
    }

    /// Explains an error: the unanswered request may have been forbidden.
    pub(super) fn explains(&self, error: BusError) -> BusError {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (error, last) {
            (BusError::Timeout, Some(words)) => BusError::Refused(format!(
                "{words}: the user needs the JetStream API (`$JS.API.>`), `unladen.>` and `_INBOX.>`"
            )),
            (error, _) => error,
        }
    }
}

#[cfg(test)]
mod tests;

//! The principal type is [`Peers`]: state of the other nodes in the settings, for the live page.
//!
//! They are asked only while somebody looks, all at once and at most every [`EVERY`]. Answers are untrusted: bounded,
//! parsed strictly, and shown as text.

mod reading;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1::handshake;
use hyper::header::{ACCEPT, CONNECTION, HOST, USER_AGENT};
use hyper_util::rt::TokioIo;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use url::Url;

use self::reading::Reading;

const EVERY: Duration = Duration::from_secs(2);

/// Answers further apart are not compared.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Peers {
    addresses: ArcSwap<Vec<PeerAddress>>,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    asked: Option<Instant>,
    peers: Vec<Peer>,
}

#[derive(Debug)]
struct Peer {
    address: PeerAddress,
    reading: Option<Reading>,
    shown: Value,
}

impl Peers {
    pub(super) fn set(&self, addresses: Vec<PeerAddress>) {
        self.addresses.store(Arc::new(addresses));
    }

    pub(super) fn len(&self) -> usize {
        self.addresses.load().len()
    }

    pub(super) async fn state(&self) -> Vec<Value> {
        let addresses = self.addresses.load_full();
        let mut last = self.last.lock().await;
        let is_old = last.asked.is_none_or(|asked| asked.elapsed() >= EVERY);
        if is_old || !last.peers.iter().map(|peer| &peer.address).eq(&*addresses) {
            let now = Instant::now();
            last.peers = ask(&addresses, &last.peers).await;
            last.asked = Some(now);
        }
        last.peers.iter().map(|peer| peer.shown.clone()).collect()
    }
}

async fn ask(addresses: &[PeerAddress], before: &[Peer]) -> Vec<Peer> {
    let mut asking = JoinSet::new();
    for (index, address) in addresses.iter().cloned().enumerate() {
        asking.spawn(async move { (index, metrics(&address).await, Instant::now()) });
    }
    let mut answers: Vec<_> = addresses.iter().map(|_| None).collect();
    while let Some(answer) = asking.join_next().await {
        if let Ok((index, answer, taken)) = answer {
            answers[index] = Some((answer, taken));
        }
    }
    let peers = addresses.iter().zip(answers).map(|(address, answer)| {
        let before = before.iter().find(|peer| peer.address == *address).and_then(|peer| peer.reading.as_ref());
        let read = match answer {
            Some((Ok(body), taken)) => Reading::of(&body, taken).map_err(|error| {
                // Its excerpt of the answer is short, and without control characters.
                format!("its metrics cannot be read: {error}")
            }),
            Some((Err(error), _)) => Err(error.to_string()),
            None => Err("it could not be asked".to_owned()),
        };
        let mut shown = match &read {
            Ok(reading) => reading.since(before.filter(|before| before.is_recent(LONGEST))),
            Err(error) => json!({ "error": error }),
        };
        shown["address"] = address.to_string().into();
        Peer { address: address.clone(), reading: read.ok(), shown }
    });
    peers.collect()
}

/// Address of another node's metrics: `http://10.0.0.2:9902` or `unix:/run/other/admin.sock`; `/metrics` is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerAddress(Place);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Name or address (without brackets), and host with port as written, for `Host`.
    Tcp {
        host: String,
        port: u16,
        authority: String,
    },
    Unix(PathBuf),
}

/// Error for a text that is no address of another node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is neither http://HOST:PORT nor unix:/PATH")]
pub struct PeerAddressError;

// === impl PeerAddress ===

impl PeerAddress {
    pub(super) fn place(&self) -> &Place {
        &self.0
    }
}

impl FromStr for PeerAddress {
    type Err = PeerAddressError;

    fn from_str(text: &str) -> Result<Self, PeerAddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.starts_with('/') { Ok(Self(Place::Unix(path.into()))) } else { Err(PeerAddressError) };
        }
        let url = Url::parse(text).map_err(|_| PeerAddressError)?;
        let is_plain = url.scheme() == "http"
            && url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none();
        let (Some(host), Some(port), true) = (url.host(), url.port(), is_plain) else { return Err(PeerAddressError) };
        let authority = format!("{host}:{port}");
        let host = match host {
            url::Host::Ipv6(address) => address.to_string(),
            other => other.to_string(),
        };
        Ok(Self(Place::Tcp { host, port, authority }))
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Tcp { authority, .. } => write!(f, "http://{authority}"),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Serialize for PeerAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const DEADLINE: Duration = Duration::from_secs(1);

/// Maximum bytes of an answer: a node with a hundred sites sends some 1 MB.
const LONGEST_ANSWER: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
enum AskError {
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    #[error("answers {0}, not 200")]
    Status(u16),
    #[error("its answer is incomplete, or longer than {LONGEST_ANSWER} bytes")]
    Body,
    #[error("no answer within {DEADLINE:?}")]
    Timeout,
}

/// Asks another node for its metrics; redirects are not followed.
async fn metrics(peer: &PeerAddress) -> Result<Bytes, AskError> {
    let asking = async {
        match peer.place() {
            Place::Tcp { host, port, authority } => {
                exchange(TcpStream::connect((&**host, *port)).await?, authority).await
            }
            Place::Unix(path) => exchange(UnixStream::connect(path).await?, "localhost").await,
        }
    };
    tokio::time::timeout(DEADLINE, asking).await.unwrap_or(Err(AskError::Timeout))
}

async fn exchange<S>(stream: S, authority: &str) -> Result<Bytes, AskError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let request = hyper::Request::get("/metrics")
        .header(HOST, authority)
        .header(ACCEPT, "text/plain; version=0.0.4")
        .header(CONNECTION, "close")
        .header(USER_AGENT, concat!("unladen/", env!("CARGO_PKG_VERSION")))
        .body(Empty::<Bytes>::new())?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    let asking = async {
        let response = sender.send_request(request).await?;
        if response.status() != hyper::StatusCode::OK {
            return Err(AskError::Status(response.status().as_u16()));
        }
        let body = Limited::new(response.into_body(), LONGEST_ANSWER).collect().await;
        Ok(body.map_err(|_| AskError::Body)?.to_bytes())
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // Errors reach the request.
        _ = connection => asking.await,
    }
}

#[cfg(test)]
mod tests;

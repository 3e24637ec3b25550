//! The principal type is [`Client`]: a connection to a collector, kept between requests.

use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use unladen_pool::{Connector, Protocol, Socket, TlsSettings};
use url::{Host, Url};

/// Limit of a request, its connection included.
const TIMEOUT: Duration = Duration::from_secs(10);

const ANSWER: usize = 64 * 1024;

#[derive(Default)]
pub(super) struct Client {
    kept: Option<Kept>,
    /// Created on first use, since it reads the system's authorities.
    connector: Option<Connector>,
}

struct Kept {
    target: Target,
    sender: SendRequest<Full<Bytes>>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) body: Bytes,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    #[error("{0}")]
    Connect(#[from] std::io::Error),
    #[error("{0}")]
    Tls(#[from] unladen_pool::TlsError),
    #[error("{0}")]
    Http(#[from] hyper::Error),
    #[error("{0}")]
    Request(#[from] http::Error),
    #[error("its answer cannot be read: {0}")]
    Answer(Box<dyn std::error::Error + Send + Sync>),
    #[error("no answer within {TIMEOUT:?}")]
    Timeout,
}

impl Client {
    pub(super) async fn post(&mut self, target: &Target, path: &str, body: Bytes) -> Result<Answer, ClientError> {
        let answer = tokio::time::timeout(TIMEOUT, self.exchange(target, path, body)).await;
        let answer = answer.unwrap_or(Err(ClientError::Timeout));
        if answer.is_err() {
            self.kept = None;
        }
        answer
    }

    async fn exchange(&mut self, target: &Target, path: &str, body: Bytes) -> Result<Answer, ClientError> {
        let request = hyper::Request::post(format!("{}{path}", target.prefix))
            .header(HOST, &target.authority)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, concat!("unladen/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(body))?;
        let mut kept = match self.kept.take() {
            Some(kept) if kept.target == *target && kept.sender.is_ready() => kept,
            _ => self.connect(target).await?,
        };
        let response = kept.sender.send_request(request).await?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = Limited::new(response.into_body(), ANSWER).collect().await.map_err(ClientError::Answer)?.to_bytes();
        // The connection may be closing: only polling it shows whether it is ready.
        if kept.sender.ready().await.is_ok() {
            self.kept = Some(kept);
        }
        Ok(Answer { status, retry_after, body })
    }

    async fn connect(&mut self, target: &Target) -> Result<Kept, ClientError> {
        let stream = TcpStream::connect((&*target.host, target.port)).await?;
        stream.set_nodelay(true)?;
        if !target.tls {
            return Kept::over(target, stream).await;
        }
        let connector = match &self.connector {
            Some(connector) => connector,
            None => self.connector.insert(Connector::new(&TlsSettings::default(), Protocol::Http1)?),
        };
        Kept::over(target, connector.connect(&target.host, Socket::Tcp(stream)).await?).await
    }
}

// === impl Kept ===

impl Kept {
    async fn over<S>(target: &Target, stream: S) -> Result<Self, ClientError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // The sender gets its errors.
        let task = tokio::spawn(async {
            let _ = connection.await;
        });
        Ok(Self { target: target.clone(), sender, _task: AbortOnDropHandle::new(task) })
    }
}

#[derive(Debug)]
pub(crate) struct Destination {
    pub(super) target: Target,
    pub(super) every: Duration,
    pub(super) service: String,
    pub(super) environment: Option<String>,
    pub(super) zone: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) tls: bool,
    /// Name or address to connect to, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) authority: String,
    /// Path before `/v1/traces`, without a slash at its end.
    pub(super) prefix: String,
}

/// Why a URL cannot be a collector's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("{0:?} is not a URL: {1}")]
    Malformed(String, url::ParseError),
    #[error("{0:?} is not a collector's URL: it has to begin with http:// or https://")]
    Scheme(String),
    #[error(
        "{0:?} is not a collector's URL: only host, port and path are used, so a user, a query or a fragment is not \
         allowed"
    )]
    Surplus(String),
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let url = Url::parse(text).map_err(|error| TargetError::Malformed(text.to_owned(), error))?;
        let (tls, default_port) = match url.scheme() {
            "http" => (false, 80),
            "https" => (true, 443),
            _ => return Err(TargetError::Scheme(text.to_owned())),
        };
        let surplus = !url.username().is_empty() || url.password().is_some();
        if surplus || url.query().is_some() || url.fragment().is_some() {
            return Err(TargetError::Surplus(text.to_owned()));
        }
        let (host, authority) = match url.host() {
            Some(Host::Domain(name)) => (name.to_owned(), name.to_owned()),
            Some(Host::Ipv4(address)) => (address.to_string(), address.to_string()),
            Some(Host::Ipv6(address)) => (address.to_string(), format!("[{address}]")),
            None => return Err(TargetError::Scheme(text.to_owned())),
        };
        let port = url.port().unwrap_or(default_port);
        let authority = if port == default_port { authority } else { format!("{authority}:{port}") };
        Ok(Self { tls, host, port, authority, prefix: url.path().trim_end_matches('/').to_owned() })
    }
}

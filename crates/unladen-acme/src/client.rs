//! The principal type is [`Client`]: HTTP for the authority's API, over one kept connection.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use instant_acme::{BodyWrapper, BytesResponse, HttpClient, Problem};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::clock::{self, now};
use crate::wanted::Authority;

/// Longest answer of an authority: a chain has some kilobytes.
const LONGEST: usize = 1 << 20;
/// Number of addresses tried, so that a request stays within its time.
const ADDRESSES: usize = 5;
/// `User-Agent` (RFC 8555, section 6.1).
const AGENT: &str = concat!("unladen/", env!("CARGO_PKG_VERSION"), " (instant-acme)");

#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error("`{0}` is not an https:// URL")]
    Url(String),
    #[error("{host}: {source}{}", hint(source))]
    Connect { host: String, source: io::Error },
    #[error("{host}: {source}")]
    Exchange { host: String, source: hyper::Error },
    #[error("{host}: no answer within {} s", REQUEST.as_secs())]
    Timeout { host: String },
    #[error("{url}: its answer is longer than {LONGEST} bytes, or incomplete")]
    Body { url: String },
    #[error("{url} answers {status}{said}")]
    Status { url: String, status: StatusCode, said: String, retry_after: Option<u64> },
}

#[derive(Clone, Debug)]
pub(crate) struct Client {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tls: Arc<ClientConfig>,
    idle: Mutex<Option<Idle>>,
    /// `Retry-After` of the last unsuccessful answer, in seconds since 1970; 0 if missing.
    retry_after: AtomicU64,
}

#[derive(Debug)]
struct Idle {
    host: (String, u16),
    sender: SendRequest<Full<Bytes>>,
}

impl ClientError {
    /// When the authority wants to be asked again, in seconds since 1970.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

fn hint(error: &io::Error) -> &'static str {
    let is_trust = |inner: &rustls::Error| matches!(inner, rustls::Error::InvalidCertificate(_));
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(inner) if is_trust(inner) => "; for a private authority, set `ca` to the file of its root certificate",
        _ => "",
    }
}

// === impl Client ===

impl Client {
    /// Makes a client for this authority.
    ///
    /// # Errors
    /// If its `ca` cannot be read, or the system trusts nobody.
    pub(crate) fn new(authority: &Authority) -> Result<Self, String> {
        let roots = match &authority.ca {
            Some(file) => Arc::new(unladen_tls::authorities(file).map_err(|error| error.to_string())?),
            None => unladen_tls::system_authorities().map_err(|error| error.to_string())?,
        };
        let config = ClientConfig::builder_with_provider(unladen_tls::provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let tls = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
        Ok(Self { shared: Arc::new(Shared { tls, idle: Mutex::default(), retry_after: AtomicU64::new(0) }) })
    }

    pub(crate) fn retry_after(&self) -> Option<u64> {
        Some(self.shared.retry_after.load(Ordering::Relaxed)).filter(|at| *at != 0)
    }

    async fn exchange(self, request: Request<BodyWrapper<Bytes>>) -> Result<Response<Full<Bytes>>, ClientError> {
        let (mut parts, body) = request.into_parts();
        let Ok(body) = body.collect().await;
        let body = body.to_bytes();
        let url = parts.uri.to_string();
        let host = host(&parts.uri).ok_or_else(|| ClientError::Url(clean(&url)))?;
        let is_question = parts.method != Method::POST;
        parts.headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        let authority = parts.uri.authority().map_or(host.0.as_str(), |authority| authority.as_str());
        if let Ok(authority) = HeaderValue::from_str(authority) {
            parts.headers.insert(HOST, authority);
        }
        parts.uri = parts.uri.path_and_query().map_or_else(Uri::default, |path| Uri::from(path.clone()));
        let answer = async {
            // A kept connection may have been closed meanwhile: then nothing of the request was read.
            if let Some(mut sender) = self.idle(&host).await
                && let Ok(response) = sender.send_request(copy(&parts, &body)).await
            {
                return self.read(&url, is_question, response, (host.clone(), sender)).await;
            }
            let mut sender = self.connect(&host).await?;
            let exchange = |source| ClientError::Exchange { host: host.0.clone(), source };
            let response = sender.send_request(copy(&parts, &body)).await.map_err(exchange)?;
            self.read(&url, is_question, response, (host.clone(), sender)).await
        };
        let timeout = |_| ClientError::Timeout { host: host.0.clone() };
        tokio::time::timeout(REQUEST, answer).await.map_err(timeout)?
    }

    async fn idle(&self, host: &(String, u16)) -> Option<SendRequest<Full<Bytes>>> {
        let idle = self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut sender = idle.filter(|idle| idle.host == *host)?.sender;
        sender.ready().await.ok()?;
        Some(sender)
    }

    async fn connect(&self, host: &(String, u16)) -> Result<SendRequest<Full<Bytes>>, ClientError> {
        let failed = |source| ClientError::Connect { host: host.0.clone(), source };
        let name = ServerName::try_from(host.0.clone()).map_err(|error| failed(io::Error::other(error)))?;
        let stream = dial(&host.0, host.1).await.map_err(failed)?;
        let stream = TlsConnector::from(self.shared.tls.clone()).connect(name, stream).await.map_err(failed)?;
        let exchange = |source| ClientError::Exchange { host: host.0.clone(), source };
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(exchange)?;
        // The task ends when the sender is dropped.
        tokio::spawn(async move { drop(connection.await) });
        Ok(sender)
    }

    /// Reads an answer to its end, keeps the connection, and refuses what the library would mistake.
    async fn read(
        &self,
        url: &str,
        is_question: bool,
        response: Response<hyper::body::Incoming>,
        (host, sender): ((String, u16), SendRequest<Full<Bytes>>),
    ) -> Result<Response<Full<Bytes>>, ClientError> {
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, LONGEST).collect().await;
        let body = body.map_err(|_| ClientError::Body { url: clean(url) })?.to_bytes();
        *self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner) = Some(Idle { host, sender });
        if parts.status.is_success() {
            return Ok(Response::from_parts(parts, Full::new(body)));
        }
        let retry_after = retry_after(&parts.headers, now());
        self.shared.retry_after.store(retry_after.unwrap_or(0), Ordering::Relaxed);
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let said = kind.starts_with("application/problem+json").then(|| serde_json::from_slice::<Problem>(&body).ok());
        match said.flatten() {
            Some(_) if !is_question => Ok(Response::from_parts(parts, Full::new(body))),
            said => {
                let said = said.map_or_else(String::new, |said| format!(": {}", text(&said)));
                Err(ClientError::Status { url: clean(url), status: parts.status, said, retry_after })
            }
        }
    }
}

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, instant_acme::Error>> + Send>> {
        let client = self.clone();
        Box::pin(async move {
            let response = client.exchange(request).await;
            response.map(BytesResponse::from).map_err(|error| instant_acme::Error::Other(Box::new(error)))
        })
    }
}

async fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "its name has no address");
    for address in tokio::net::lookup_host((host, port)).await?.take(ADDRESSES) {
        match tokio::time::timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = io::Error::new(error.kind(), format!("{address}: {error}")),
            Err(_) => last = io::Error::new(io::ErrorKind::TimedOut, format!("{address}: no answer")),
        }
    }
    Err(last)
}

fn copy(parts: &http::request::Parts, body: &Bytes) -> Request<Full<Bytes>> {
    Request::from_parts(parts.clone(), Full::new(body.clone()))
}

/// Host and port to connect to; the URL may come from the authority.
fn host(uri: &Uri) -> Option<(String, u16)> {
    let host = uri.host().filter(|_| uri.scheme_str() == Some("https"))?;
    Some((host.trim_matches(['[', ']']).to_owned(), uri.port_u16().unwrap_or(443)))
}

/// Seconds or a date (RFC 9110, section 10.2.3), converted to seconds since 1970.
fn retry_after(headers: &HeaderMap, now: u64) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse::<u64>() {
        Ok(seconds) => Some(now.saturating_add(seconds)),
        Err(_) => clock::http_date(text),
    }
}

/// For each step of an order in which the authority works: it looks from several places, and may retry.
pub(crate) const ORDER: Duration = Duration::from_secs(120);
/// For connecting to one address: where IPv6 leads nowhere, there is time for IPv4.
const CONNECT: Duration = Duration::from_secs(5);
/// For one request, including the connection.
const REQUEST: Duration = Duration::from_secs(30);

const LONGEST_PROBLEM: usize = 600;
/// Problems of single names that are shown.
const MOST: usize = 5;

/// In one line: the sentence, the kind in brackets, and the same for single names.
pub(crate) fn text(problem: &Problem) -> String {
    let one = |detail: Option<&String>, kind: Option<&String>| match (detail, kind.map(|kind| short(kind))) {
        (Some(detail), Some(kind)) => format!("{detail} ({kind})"),
        (Some(detail), None) => detail.clone(),
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => "no reason".to_owned(),
    };
    let mut text = one(problem.detail.as_ref(), problem.r#type.as_ref());
    for part in problem.subproblems.iter().take(MOST) {
        let name = part.identifier.as_ref().map_or_else(String::new, |name| format!("{}: ", name.authorized(false)));
        text.push_str(&format!("; {name}{}", one(part.detail.as_ref(), part.r#type.as_ref())));
    }
    clean(&text)
}

/// The last part of its type, such as `rateLimited`.
pub(crate) fn kind(problem: &Problem) -> &str {
    problem.r#type.as_deref().map_or("", short)
}

/// One line of bounded length, without control characters for a terminal.
pub(crate) fn clean(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = line.take(LONGEST_PROBLEM + 1).collect();
    if line.chars().count() > LONGEST_PROBLEM {
        line = line.chars().take(LONGEST_PROBLEM).chain("…".chars()).collect();
    }
    line.trim().to_owned()
}

fn short(kind: &str) -> &str {
    kind.rsplit(':').next().unwrap_or(kind)
}

#[cfg(test)]
mod tests;

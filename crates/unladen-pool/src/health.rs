//! The principal type is [`Check`]: checks an endpoint repeatedly, and sets [`Endpoint::healthy`].
//!
//! Each check opens its own connection: kept connections say nothing about whether new ones can be made, and checks
//! should not use up the application's.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{Request, StatusCode, Version, header};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use crate::dial::dial;
use crate::endpoint::Endpoint;
use crate::fastcgi::{AskError, ask_fastcgi};
use crate::settings::{HealthSettings, Protocol};
use crate::tls::{self, Connector, TlsError};
use crate::transport::Transport;

const JITTER: f64 = 0.1;

impl Check {
    /// Checks until nothing else uses the endpoint, and sets [`Endpoint::healthy`]. Reports each change, with the
    /// reason if it became unhealthy, and each failure.
    pub async fn run(
        self,
        endpoint: Arc<Endpoint>,
        mut on_change: impl FnMut(&Endpoint, Result<(), &Unhealthy>),
        on_failure: impl Fn(&Endpoint, &Unhealthy),
    ) {
        let weak = Arc::downgrade(&endpoint);
        let mut count = Count::new(&self.settings, endpoint.healthy.load(Ordering::Relaxed));
        drop(endpoint);
        // Not all endpoints of all upstreams at the same moment.
        let mut wait = self.settings.every.mul_f64(JITTER * fastrand::f64());
        loop {
            tokio::time::sleep(wait).await;
            let Some(endpoint) = weak.upgrade() else { return };
            let answer = self.ask(&endpoint).await;
            if let Err(error) = &answer {
                on_failure(&endpoint, error);
            }
            if let Some(healthy) = count.take(answer.is_ok()) {
                endpoint.healthy.store(healthy, Ordering::Relaxed);
                on_change(&endpoint, answer.as_ref().copied());
            }
            wait = jittered(self.settings.every);
        }
    }

    /// Checks once.
    ///
    /// # Errors
    /// Why the endpoint is unhealthy: no connection, no answer in time, or one that is not a success.
    pub async fn ask(&self, endpoint: &Endpoint) -> Result<(), Unhealthy> {
        match tokio::time::timeout(self.settings.timeout, ask(self, endpoint)).await {
            Ok(answered) => answered,
            Err(_) => Err(Unhealthy::Timeout { after: self.settings.timeout }),
        }
    }
}

fn jittered(every: Duration) -> Duration {
    every.mul_f64(1.0 + JITTER * (2.0 * fastrand::f64() - 1.0))
}

/// Maximum bytes read of an answer's body: the status is enough.
const MAX_BODY: usize = 64 * 1024;

/// Distinguishes checks from other requests in the application's log.
const USER_AGENT: &str = concat!("unladen-health/", env!("CARGO_PKG_VERSION"));

/// How an origin's endpoints are checked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Check {
    pub settings: HealthSettings,
    pub connector: Option<Connector>,
    /// Without TLS, HTTP/2 by prior knowledge is used if it alone is allowed; with TLS, what was negotiated.
    pub http: Protocol,
    /// For `Host` and `:authority`, as in the origin's URL; without its port for SNI.
    pub authority: String,
}

async fn ask(check: &Check, endpoint: &Endpoint) -> Result<(), Unhealthy> {
    if check.http == Protocol::FastCgi {
        let (path, query) = check.settings.path.split_once('?').unwrap_or((&check.settings.path, ""));
        let (status, _) = ask_fastcgi(endpoint, path, query, check.settings.timeout).await?;
        let status = http::StatusCode::from_u16(status).map_err(http::Error::from)?;
        return if status.is_success() { Ok(()) } else { Err(Unhealthy::Status(status)) };
    }
    let socket = dial(&endpoint.address, check.settings.timeout).await?;
    match &check.connector {
        None => exchange(socket, check.http == Protocol::Http2, check, "http").await,
        Some(connector) => {
            let stream = connector.connect(&check.authority, socket).await?;
            let h2 = tls::is_h2(&stream);
            let transport = Transport::tls(stream);
            let fault = transport.fault();
            exchange(transport, h2, check, "https").await.map_err(|error| match fault.get() {
                // With TLS 1.3, a refusal of our certificate comes after the handshake.
                Some(fault) => TlsError::Handshake { name: check.authority.clone(), fault: fault.clone() }.into(),
                None => error,
            })
        }
    }
}

async fn exchange<S>(stream: S, h2: bool, check: &Check, scheme: &str) -> Result<(), Unhealthy>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Ends with this function, whatever the peer does.
    let mut connections = JoinSet::new();
    let io = TokioIo::new(stream);
    let answer = if h2 {
        let request = Request::get(format!("{scheme}://{}{}", check.authority, check.settings.path))
            .version(Version::HTTP_2)
            .header(header::USER_AGENT, USER_AGENT)
            .body(Empty::<&[u8]>::new())?;
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
        connections.spawn(connection);
        sender.send_request(request).await?
    } else {
        let request = Request::get(&check.settings.path)
            .header(header::HOST, &check.authority)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONNECTION, "close")
            .body(Empty::<&[u8]>::new())?;
        let (mut sender, connection) = http1::handshake(io).await?;
        connections.spawn(connection);
        sender.send_request(request).await?
    };
    let status = answer.status();
    if !status.is_success() {
        return Err(Unhealthy::Status(status));
    }
    // Read, so that the endpoint does not log that the client went away.
    let mut body = answer.into_body();
    let mut read = 0;
    while let Some(frame) = body.frame().await {
        read += frame?.data_ref().map_or(0, |data| data.len());
        if read >= MAX_BODY {
            break;
        }
    }
    Ok(())
}

#[derive(Debug)]
struct Count {
    healthy: bool,
    /// Consecutive answers that contradict the current state.
    against: u32,
    to_healthy: u32,
    to_unhealthy: u32,
}

impl Count {
    pub(super) fn new(settings: &HealthSettings, healthy: bool) -> Self {
        Self { healthy, against: 0, to_healthy: settings.healthy.max(1), to_unhealthy: settings.unhealthy.max(1) }
    }

    pub(super) fn take(&mut self, ok: bool) -> Option<bool> {
        if ok == self.healthy {
            self.against = 0;
            return None;
        }
        self.against += 1;
        if self.against < if ok { self.to_healthy } else { self.to_unhealthy } {
            return None;
        }
        self.healthy = ok;
        self.against = 0;
        Some(ok)
    }
}

/// Why an endpoint is unhealthy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unhealthy {
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("no answer: {0}")]
    FastCgi(#[from] AskError),
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    #[error("it answered {0}")]
    Status(StatusCode),
    #[error("no answer within {after:?}")]
    Timeout { after: std::time::Duration },
}

#[cfg(test)]
mod tests;

//! One question to an endpoint: [`ask`].

use http::{Request, StatusCode, Version, header};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use super::Check;
use crate::dial::dial;
use crate::endpoint::Endpoint;
use crate::settings::Protocol;
use crate::tls::{self, TlsError};
use crate::transport::Transport;

/// Why an endpoint is not well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unhealthy {
    /// No connection.
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    /// No TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No answer, or none that is HTTP.
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    /// The question cannot be written.
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    /// An answer that is no success.
    #[error("it answered {0}")]
    Status(StatusCode),
    /// Nothing in time.
    #[error("no answer within {after:?}")]
    Timeout {
        /// The time limit.
        after: std::time::Duration,
    },
}

/// Bodies of answers are read to this many bytes, and no further: the status says it all.
const MAX_BODY: usize = 64 * 1024;

pub(super) async fn ask(check: &Check, endpoint: &Endpoint) -> Result<(), Unhealthy> {
    let socket = dial(&endpoint.address, check.settings.timeout).await?;
    match &check.connector {
        None => exchange(socket, check.http == Protocol::Http2, check, "http").await,
        Some(connector) => {
            let stream = connector.connect(&check.authority, socket).await?;
            let h2 = tls::is_h2(&stream);
            let transport = Transport::tls(stream);
            let fault = transport.fault();
            exchange(transport, h2, check, "https").await.map_err(|error| match fault.get() {
                // With TLS 1.3, that it refuses our certificate comes after the handshake.
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

/// So that its log lines can be told from the application's.
const USER_AGENT: &str = concat!("unladen-health/", env!("CARGO_PKG_VERSION"));

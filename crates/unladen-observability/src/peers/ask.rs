//! Asks another node for its metrics: [`metrics`]. Its answer is bounded in time and size, and redirects are not
//! followed.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1::handshake;
use hyper::header::{ACCEPT, CONNECTION, HOST, USER_AGENT};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use super::address::{PeerAddress, Place};

pub(super) const DEADLINE: Duration = Duration::from_secs(1);

/// Maximum bytes of an answer: a node with a hundred sites sends some 1 MB.
const LONGEST: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    #[error("answers {0}, not 200")]
    Status(u16),
    #[error("its answer broke off, or is longer than {LONGEST} bytes")]
    Body,
    #[error("no answer within {DEADLINE:?}")]
    Timeout,
}

pub(super) async fn metrics(peer: &PeerAddress) -> Result<Bytes, AskError> {
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
        let body = Limited::new(response.into_body(), LONGEST).collect().await;
        Ok(body.map_err(|_| AskError::Body)?.to_bytes())
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // Errors reach the request.
        _ = connection => asking.await,
    }
}

//! The admin address: [`serve`] answers there with metrics, the settings, its health and a live page; and sites are
//! told there what to forget.
//!
//! It is for the machine itself, so it listens on loopback or a Unix socket. A page of the web could still make a
//! browser on this machine ask, under a name that its owner lets lead to 127.0.0.1: whoever asks under a name that is
//! not the machine's own is refused ([`is_local`]).

mod answer;
mod local;
mod purge;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::Observability;
use crate::history::EVERY;

pub use local::is_local;

/// Connections at a time; others wait in the listener's queue.
const CONNECTIONS: usize = 64;

/// For a request's head, and between requests.
const HEAD: Duration = Duration::from_secs(10);

/// After this long a connection is closed when its request is answered …
const LIFE: Duration = Duration::from_secs(120);

/// … and this much later in any case: whoever does not read its answer must not keep its place.
const REST: Duration = Duration::from_secs(10);

/// Bytes of a request's head.
const HEAD_BYTES: usize = 16 * 1024;

/// Where the admin address listens.
#[derive(Debug)]
pub enum Listener {
    /// On loopback.
    Tcp(TcpListener),
    /// A Unix socket, which its file's permissions guard.
    Unix(UnixListener),
}

/// Answers for as long as it is polled, and keeps what `/history` tells; connections end with it.
pub async fn serve(listener: Listener, observability: Arc<Observability>) {
    tokio::select! {
        () = accept(listener, Arc::clone(&observability)) => {}
        () = keep_history(&observability) => {}
    }
}

/// Looks again and again at what is counted, for as long as it is polled.
async fn keep_history(observability: &Observability) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        observability.history.take(&observability.counts());
    }
}

async fn accept(listener: Listener, observability: Arc<Observability>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // Never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let accepted = match &listener {
            Listener::Tcp(listener) => listener.accept().await.map(|(stream, _)| Stream::Tcp(stream)),
            Listener::Unix(listener) => listener.accept().await.map(|(stream, _)| Stream::Unix(stream)),
        };
        while connections.try_join_next().is_some() {}
        let Ok(stream) = accepted else {
            // Out of files, most likely: others have to be closed first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let observability = Arc::clone(&observability);
        connections.spawn(async move {
            // What goes wrong is the other side's: it left, or spoke no HTTP.
            let _ = match stream {
                Stream::Tcp(stream) => converse(stream, false, observability).await,
                Stream::Unix(stream) => converse(stream, true, observability).await,
            };
            drop(place);
        });
    }
}

enum Stream {
    Tcp(tokio::net::TcpStream),
    Unix(tokio::net::UnixStream),
}

async fn converse<S>(stream: S, is_unix: bool, observability: Arc<Observability>) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let service = service_fn(|request: Request<Incoming>| {
        let observability = Arc::clone(&observability);
        async move { Ok::<_, Infallible>(answer::to(request, is_unix, &observability).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = &mut connection => return ended.map_err(io::Error::other),
        () = tokio::time::sleep(LIFE) => {}
    }
    connection.as_mut().graceful_shutdown();
    match tokio::time::timeout(REST, connection).await {
        Ok(ended) => ended.map_err(io::Error::other),
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

#[cfg(test)]
mod tests;

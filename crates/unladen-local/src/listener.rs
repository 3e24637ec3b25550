//! Accepts connections and serves their requests: [`serve`].

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, Id, JoinSet};

use crate::local::{TEXT, is_local, response};

/// Concurrent connections. One more replaces the one that has waited longest for a request; if all are being answered,
/// it waits.
pub const CONNECTIONS: usize = 64;

/// Timeout of a request's head, and between requests.
pub const HEAD: Duration = Duration::from_secs(10);

/// After this time a connection is closed when its request is answered …
const LIFE: Duration = Duration::from_secs(120);

/// … and this much later in any case: a client that does not read its answer must not keep its place.
const REST: Duration = Duration::from_secs(10);

/// Most bytes of a request's head.
pub const HEAD_BYTES: usize = 16 * 1024;

/// Where requests come from.
#[derive(Debug)]
pub enum Listener {
    Tcp(TcpListener),
    /// A Unix socket, which its file's permissions guard.
    Unix(UnixListener),
    /// At any address, under any name: its answers have to be fit for everybody.
    Exposed(TcpListener),
}

enum Stream {
    Tcp(tokio::net::TcpStream),
    Unix(tokio::net::UnixStream),
    Exposed(tokio::net::TcpStream),
}

/// Serves while it is polled; connections end with it. A request under a name that is not this machine's own is refused
/// before `answer` sees it.
pub async fn serve<A, F>(listener: Listener, answer: A)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Full<Bytes>>> + Send,
{
    let mut connections = Connections::new(CONNECTIONS);
    loop {
        let accepted = match &listener {
            Listener::Tcp(listener) => listener.accept().await.map(|(stream, _)| Stream::Tcp(stream)),
            Listener::Unix(listener) => listener.accept().await.map(|(stream, _)| Stream::Unix(stream)),
            Listener::Exposed(listener) => listener.accept().await.map(|(stream, _)| Stream::Exposed(stream)),
        };
        let Ok(stream) = accepted else {
            // Most likely out of file descriptors: others have to be closed first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        connections.room().await;
        let answer = answer.clone();
        connections.add(|turn| async move {
            // Errors are the client's: it left, or spoke no HTTP.
            let _ = match stream {
                Stream::Tcp(stream) => converse(stream, false, &answer, &turn).await,
                Stream::Unix(stream) => converse(stream, true, &answer, &turn).await,
                Stream::Exposed(stream) => converse(stream, true, &answer, &turn).await,
            };
        });
    }
}

async fn converse<S, A, F>(stream: S, takes_any_name: bool, answer: &A, turn: &Turn) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<Full<Bytes>>>,
{
    let service = service_fn(|request: Request<Incoming>| async move {
        let _answering = turn.answering();
        if !takes_any_name && !asks_locally(request.uri(), request.headers()) {
            let text = "This address answers only to localhost, 127.0.0.1 and [::1].\n";
            return Ok::<_, Infallible>(response(StatusCode::MISDIRECTED_REQUEST, TEXT, text));
        }
        Ok(answer(request).await)
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

/// Checks the target's authority and each `Host`. A request without any is no browser's.
fn asks_locally(uri: &Uri, headers: &HeaderMap) -> bool {
    let hosts: Vec<&HeaderValue> = headers.get_all(HOST).iter().collect();
    uri.authority().is_none_or(|authority| is_local(authority.as_str()))
        && hosts.len() <= 1
        && hosts.iter().all(|host| host.to_str().is_ok_and(is_local))
}

/// A request that was sent may not have been read yet: a connection that has waited for less keeps its place.
const GRACE: Duration = Duration::from_millis(200);

/// Open connections. Beyond the bound, a new one replaces the one that has waited longest for a request: many silent
/// connections keep nobody out. Clients on one machine share an address, so they are not counted by peer.
struct Connections {
    most: usize,
    tasks: JoinSet<()>,
    open: HashMap<Id, (AbortHandle, Arc<Turn>)>,
    /// Notified when a connection begins to wait again.
    answered: Arc<Notify>,
}

struct Turn {
    /// Start of its wait for a request; `None` while one is being answered.
    waits_since: Mutex<Option<Instant>>,
    answered: Arc<Notify>,
}

/// Marks a request that is being answered, until it is dropped.
struct Answering<'a>(&'a Turn);

impl Connections {
    fn new(most: usize) -> Self {
        Self { most, tasks: JoinSet::new(), open: HashMap::new(), answered: Arc::default() }
    }

    async fn room(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
        while self.open.len() >= self.most {
            let longest = self.waiting_for_longest().map(|(since, task)| (since.elapsed(), task));
            let left = match longest {
                Some((waited, task)) if waited >= GRACE => {
                    task.abort();
                    Duration::ZERO
                }
                Some((waited, _)) => GRACE.saturating_sub(waited),
                None => Duration::MAX,
            };
            let answered = Arc::clone(&self.answered);
            tokio::select! {
                () = self.one_ends() => {}
                () = answered.notified(), if left > Duration::ZERO => {}
                () = tokio::time::sleep(left), if left > Duration::ZERO => {}
            }
        }
    }

    /// Runs a connection while this value lives.
    fn add<F>(&mut self, converse: impl FnOnce(Arc<Turn>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let turn =
            Arc::new(Turn { waits_since: Mutex::new(Some(Instant::now())), answered: Arc::clone(&self.answered) });
        let task = self.tasks.spawn(converse(Arc::clone(&turn)));
        self.open.insert(task.id(), (task, turn));
    }

    fn waiting_for_longest(&self) -> Option<(Instant, &AbortHandle)> {
        let waiting = self.open.values().filter_map(|(task, turn)| Some((turn.waits_since()?, task)));
        waiting.min_by_key(|(since, _)| *since)
    }

    async fn one_ends(&mut self) {
        if let Some(ended) = self.tasks.join_next_with_id().await {
            self.forget(ended);
        }
    }

    fn forget(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        self.open.remove(&id);
    }
}

impl Turn {
    fn answering(&self) -> Answering<'_> {
        self.set(None);
        Answering(self)
    }

    fn waits_since(&self) -> Option<Instant> {
        self.waits_since.lock().ok().and_then(|since| *since)
    }

    fn set(&self, since: Option<Instant>) {
        if let Ok(mut place) = self.waits_since.lock() {
            *place = since;
        }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
        self.0.answered.notify_one();
    }
}

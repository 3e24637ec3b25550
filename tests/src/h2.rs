//! The principal types are [`H2Client`] and [`H2Upstream`]: both sides of `unladen serve` by HTTP/2, through a library
//! of its own.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, Request, Response};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;

/// Far above what any answer of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

/// A client's connection, driven on the runtime that it was made on.
#[derive(Debug, Clone)]
pub struct H2Client {
    send: SendRequest<Bytes>,
    end: Arc<watch::Sender<bool>>,
}

/// An answer, as far as it came.
#[derive(Debug)]
pub struct H2Answer {
    /// Its head.
    pub head: http::response::Parts,
    /// Its body.
    pub body: Vec<u8>,
    /// After the body.
    pub trailers: Option<HeaderMap>,
    /// Why it is not whole, if so.
    pub error: Option<h2::Error>,
}

/// What stands behind `unladen serve`, on a free port and a thread of its own, without TLS.
#[derive(Debug)]
pub struct H2Upstream {
    address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    open: AtomicUsize,
    seen: Mutex<Vec<String>>,
}

/// How an upstream is to be, besides how it answers.
#[derive(Debug, Clone)]
pub struct H2Manners {
    /// Streams at a time.
    pub streams: u32,
    /// So many streams of a connection are answered, then GOAWAY says that it was enough.
    pub enough: usize,
}

/// A request, as an upstream's script sees it.
#[derive(Debug)]
pub struct H2Asked {
    /// The request, with its body.
    pub request: Request<RecvStream>,
    /// Where the answer goes.
    pub respond: SendResponse<Bytes>,
    /// The number of the connection.
    pub connection: usize,
    /// The number of the stream on it, both counted from 0.
    pub number: usize,
}

type Scripted = Pin<Box<dyn Future<Output = ()> + Send>>;

impl H2Client {
    /// To a Unix socket.
    pub async fn unix(path: &Path) -> Self {
        Self::with(path, h2::client::Builder::new()).await
    }

    /// The same; an error if the connection was closed before the client had said who it is.
    pub async fn try_unix(path: &Path) -> Result<Self, h2::Error> {
        Self::try_with(path, h2::client::Builder::new()).await
    }

    /// The same with these settings.
    pub async fn with(path: &Path, builder: h2::client::Builder) -> Self {
        Self::try_with(path, builder).await.expect("a handshake")
    }

    async fn try_with(path: &Path, builder: h2::client::Builder) -> Result<Self, h2::Error> {
        let stream = UnixStream::connect(path).await.expect("it listens");
        let (send, connection) = builder.handshake(stream).await?;
        let (end, mut ended) = watch::channel(false);
        tokio::spawn(async move {
            tokio::select! {
                _ = connection => (),
                _ = ended.changed() => (),
            }
        });
        Ok(Self { send, end: Arc::new(end) })
    }

    /// Closes the connection, whatever is under way.
    pub fn end(&self) {
        let _ = self.end.send(true);
    }

    /// Sends a request's head: what will be its answer, and where its body goes.
    pub async fn send(&self, request: Request<()>, ends: bool) -> (ResponseFuture, SendStream<Bytes>) {
        let ready = self.send.clone().ready();
        let mut ready = tokio::time::timeout(LIMIT, ready).await.expect("a place in time").expect("a place");
        ready.send_request(request, ends).expect("a request")
    }

    /// GET of this path.
    pub async fn get(&self, path: &str) -> H2Answer {
        let (answer, _) = self.send(request("GET", path), true).await;
        H2Answer::read(answer).await.expect("an answer")
    }

    /// The same; none if the connection ended before there was an answer, which a GET may be sent again after.
    pub async fn try_get(&self, path: &str) -> Option<H2Answer> {
        let mut ready = self.send.clone().ready().await.ok()?;
        let (answer, _) = ready.send_request(request("GET", path), true).ok()?;
        H2Answer::read(answer).await.ok()
    }

    /// POST of this body.
    pub async fn post(&self, path: &str, body: &[u8]) -> H2Answer {
        let (answer, send) = self.send(request("POST", path), false).await;
        let sending = tokio::spawn(send_body(send, Bytes::copy_from_slice(body), None));
        let answer = H2Answer::read(answer).await.expect("an answer");
        sending.abort();
        answer
    }
}

/// A request without a body so far.
pub fn request(method: &str, path: &str) -> Request<()> {
    Request::builder().method(method).uri(format!("http://test{path}")).body(()).expect("a request")
}

/// Sends a body as the other side takes it. The error: how that ended before its end.
pub async fn send_body(
    mut send: SendStream<Bytes>,
    mut body: Bytes,
    trailers: Option<HeaderMap>,
) -> Result<(), Option<h2::Error>> {
    while !body.is_empty() {
        send.reserve_capacity(body.len().min(64 * 1024));
        let capacity = std::future::poll_fn(|cx| send.poll_capacity(cx)).await.ok_or(None)??;
        let piece = body.split_to(capacity.min(body.len()));
        send.send_data(piece, false)?;
    }
    match trailers {
        Some(trailers) => send.send_trailers(trailers)?,
        None => send.send_data(Bytes::new(), true)?,
    }
    Ok(())
}

impl H2Answer {
    /// Reads all that comes.
    pub async fn read(answer: ResponseFuture) -> Result<Self, h2::Error> {
        let answer = tokio::time::timeout(LIMIT, answer).await.expect("nothing comes");
        Self::of(answer?).await
    }

    /// Reads what follows a head.
    pub async fn of(answer: Response<RecvStream>) -> Result<Self, h2::Error> {
        let (head, mut stream) = answer.into_parts();
        let mut answer = Self { head, body: Vec::new(), trailers: None, error: None };
        loop {
            match tokio::time::timeout(LIMIT, stream.data()).await.expect("nothing comes") {
                Some(Ok(piece)) => {
                    let _ = stream.flow_control().release_capacity(piece.len());
                    answer.body.extend_from_slice(&piece);
                }
                Some(Err(error)) => answer.error = Some(error),
                None => break,
            }
            if answer.error.is_some() {
                return Ok(answer);
            }
        }
        match stream.trailers().await {
            Ok(trailers) => answer.trailers = trailers,
            Err(error) => answer.error = Some(error),
        }
        Ok(answer)
    }

    /// Asserts that it is the upstream's, whole, with this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert!(self.head.status == status && self.reason().is_none() && self.error.is_none(), "{self:?}");
        self
    }

    /// Asserts that it is one of our own, whole, with this status and reason.
    #[track_caller]
    pub fn refuses(self, status: u16, reason: &str) -> Self {
        assert!(self.head.status == status && self.reason() == Some(reason) && self.error.is_none(), "{self:?}");
        self
    }

    /// Why the answer is not the upstream's, if it is not.
    pub fn reason(&self) -> Option<&str> {
        self.field("x-unladen-reason")
    }

    /// The value of a field, which must not be there twice.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.head.headers.get_all(name).iter().map(|value| value.to_str().expect("text"));
        let value = values.next();
        assert_eq!(values.next(), None, "{name} is there twice: {self:?}");
        value
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl H2Upstream {
    /// Each request is a task, of which the script makes what it does.
    pub fn start<F>(script: impl Fn(H2Asked) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::with(H2Manners { streams: 128, enough: usize::MAX }, script)
    }

    /// The same with other manners.
    pub fn with<F>(manners: H2Manners, script: impl Fn(H2Asked) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("an option of a socket");
        let address = listener.local_addr().expect("its address");
        let counts = Arc::new(Counts::default());
        let kept = Arc::clone(&counts);
        let script: Arc<dyn Fn(H2Asked) -> Scripted + Send + Sync> = Arc::new(move |asked| Box::pin(script(asked)));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                while let Ok((stream, _)) = listener.accept().await {
                    let connection = kept.accepted.fetch_add(1, Ordering::SeqCst);
                    kept.open.fetch_add(1, Ordering::SeqCst);
                    let (script, counts, manners) = (Arc::clone(&script), Arc::clone(&kept), manners.clone());
                    tokio::spawn(async move {
                        let _ = serve(stream, connection, &manners, &script, &counts).await;
                        counts.open.fetch_sub(1, Ordering::SeqCst);
                    });
                }
            });
        });
        Self { address, counts }
    }

    /// Answers with the body it was sent, and its trailers.
    pub fn mirror() -> Self {
        Self::start(mirror)
    }

    /// As it is configured, besides `http = "2"`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections that it has taken until now.
    pub fn accepted(&self) -> usize {
        self.counts.accepted.load(Ordering::SeqCst)
    }

    /// Connections that are open.
    pub fn open(&self) -> usize {
        self.counts.open.load(Ordering::SeqCst)
    }

    /// What was asked for until now: method and path.
    pub fn seen(&self) -> Vec<String> {
        self.counts.seen.lock().unwrap().clone()
    }
}

async fn serve(
    stream: tokio::net::TcpStream,
    number: usize,
    manners: &H2Manners,
    script: &Arc<dyn Fn(H2Asked) -> Scripted + Send + Sync>,
    counts: &Arc<Counts>,
) -> Result<(), h2::Error> {
    let mut builder = h2::server::Builder::new();
    builder.max_concurrent_streams(manners.streams).max_send_buffer_size(64 * 1024);
    let mut connection = builder.handshake::<_, Bytes>(stream).await?;
    let mut streams = 0;
    while let Some(asked) = connection.accept().await {
        let (request, respond) = asked?;
        counts.seen.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
        tokio::spawn(script(H2Asked { request, respond, connection: number, number: streams }));
        streams += 1;
        if streams == manners.enough {
            connection.graceful_shutdown();
        }
    }
    Ok(())
}

/// Answers with the body that was sent, and its trailers.
pub async fn mirror(mut asked: H2Asked) {
    let length = asked.request.headers().get("content-length").cloned();
    let mut answer = Response::new(());
    if let Some(length) = length {
        answer.headers_mut().insert("content-length", length);
    }
    let body = asked.request.body_mut();
    let ends = body.is_end_stream();
    let Ok(mut send) = asked.respond.send_response(answer, ends) else { return };
    if ends {
        return;
    }
    while let Some(Ok(piece)) = body.data().await {
        let _ = body.flow_control().release_capacity(piece.len());
        let mut piece = piece;
        while !piece.is_empty() {
            send.reserve_capacity(piece.len());
            let Some(Ok(capacity)) = std::future::poll_fn(|cx| send.poll_capacity(cx)).await else { return };
            let part = piece.split_to(capacity.min(piece.len()));
            if send.send_data(part, false).is_err() {
                return;
            }
        }
    }
    let _ = match body.trailers().await {
        Ok(Some(trailers)) => send.send_trailers(trailers),
        Ok(None) => send.send_data(Bytes::new(), true),
        Err(_) => return send.send_reset(Reason::CANCEL),
    };
}

//! Worker threads: they accept connections, open them (PROXY, TLS), and answer each where it was accepted.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_local};
use unladen_observability::{OUT_OF_FILES, Observability, Trouble, UpstreamIndex};
use unladen_pool::{Socket, Transport, UnixStream, is_out_of_files};

use crate::context::Context;
use crate::downstream::h1;
use crate::limits::budget::Budget;
use crate::limits::crowd::CrowdPermit;
use crate::limits::{CROWDED, SHORT, short_of_files};
use crate::plan::{ListenSocket, Plan, State};
use crate::proxy::Proxy;
use crate::responder::Slot;
use crate::site::trust::{Peer, canonical};
use crate::site::{Site, proxy_protocol};
use crate::tasks::Tasks;

/// Wait when nothing can be accepted: no file descriptor is left, or the bound on clients is reached.
const PAUSE: Duration = Duration::from_millis(20);
/// How often a draining thread checks whether it is done.
const LOOK: Duration = Duration::from_millis(10);
/// Divisor of the bound on connections: how many are closed at a time to make room …
const AT_A_TIME: usize = 256;
/// … and of the current number: where there are few, most may just have come.
const OF_THOSE: usize = 16;

struct Serving {
    slot: Rc<Slot>,
    tasks: Vec<JoinHandle<()>>,
}

/// Follows the plan until it says to stop, and no connection is left or the time is over. Runs on a `LocalRuntime`.
pub(crate) async fn run(
    thread: usize,
    threads: usize,
    mut plan: watch::Receiver<Arc<Plan>>,
    observability: Arc<Observability>,
    budget: Arc<Budget>,
) {
    let context = Context::new(thread, &observability, budget);
    let mut servings: HashMap<u64, Serving> = HashMap::new();
    let mut keepers = Tasks::new();
    let mut pulse = Some(());
    loop {
        let now: Arc<Plan> = plan.borrow_and_update().clone();
        context.trace_sample.set(now.trace_sample);
        if let State::Draining { idle_until, until } = now.state {
            drop(now);
            context.is_leaving.set(false);
            return drain(&context, servings, idle_until, until).await;
        }
        // Each upstream's idle connections on this thread need a keeper.
        keepers.follow(&now.upstreams(), |upstream| spawn_local(async move { upstream.look_after(thread).await }));
        follow(&now, thread, threads, &context, &observability, &mut servings).await;
        if now.state == State::Leaving && !context.is_leaving.replace(true) {
            // Connected clients are to connect anew, elsewhere; new ones are told so with the answer.
            context.is_draining.set(true);
            context.drain.notify_waiters();
        }
        drop(now);
        // It accepts clients from now on.
        if pulse.take().is_some() {
            spawn_local(observability.pulse(thread, threads).answer());
        }
        if plan.changed().await.is_err() {
            return;
        }
    }
}

async fn follow(
    plan: &Plan,
    thread: usize,
    threads: usize,
    context: &Rc<Context>,
    observability: &Observability,
    servings: &mut HashMap<u64, Serving>,
) {
    let mut gone = std::mem::take(servings);
    // Before the first request: each site at an address is counted by itself.
    let places = plan.places.iter().map(|planned| &planned.proxy);
    for proxy in places.chain(plan.proxies()) {
        proxy.counted_by(observability);
    }
    for entrance in &plan.entrances {
        let (listener, index) = (&entrance.listener, entrance.to.proxy.counted_by(observability));
        if let Some(serving) = gone.remove(&listener.id) {
            serving.slot.to.replace(entrance.to.clone());
            serving.slot.index.set(index);
            servings.insert(listener.id, serving);
            continue;
        }
        let slot = Rc::new(Slot::new(entrance.to.clone(), index));
        let own = (thread..listener.sockets.len()).step_by(threads.max(1));
        let tasks = own.map(|place| {
            let (listener, context, slot) = (listener.clone(), context.clone(), slot.clone());
            spawn_local(async move {
                if let Some(accepting) = open(&listener.sockets[place], &context, &slot).await {
                    accept(accepting, context, slot).await;
                }
            })
        });
        let tasks = tasks.collect();
        servings.insert(listener.id, Serving { slot, tasks });
    }
    for serving in gone.into_values() {
        stop(serving).await;
    }
}

/// Stops accepting once the accept queue is empty: closing a listener resets what is queued there.
async fn stop(serving: Serving) {
    serving.slot.is_stopping.set(true);
    serving.slot.stop.notify_waiters();
    for task in serving.tasks {
        let _ = task.await;
    }
}

enum Accepting {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Accepting {
    fn new(socket: &ListenSocket) -> io::Result<Self> {
        Ok(match socket {
            ListenSocket::Tcp(socket) => Self::Tcp(TcpListener::from_std(socket.try_clone()?)?),
            ListenSocket::Unix(socket) => Self::Unix(UnixListener::from_std(socket.try_clone()?)?),
        })
    }

    async fn accept(&self) -> io::Result<(Socket, Option<SocketAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                Ok((Socket::Tcp(stream), Some(canonical(address))))
            }
            Self::Unix(listener) => {
                let stream = listener.accept().await?.0.into_std()?;
                Ok((Socket::Unix(UnixStream::from_std(stream)?), None))
            }
        }
    }

    /// Accepts what is queued by asking the system itself: the runtime may not have heard of it yet.
    fn accept_queued(self, mut take: impl FnMut(Socket, Option<SocketAddr>)) {
        match self {
            Self::Tcp(listener) => {
                let Ok(listener) = listener.into_std() else { return };
                while let Ok((stream, address)) = listener.accept() {
                    if stream.set_nonblocking(true).is_ok()
                        && let Ok(stream) = TcpStream::from_std(stream)
                    {
                        take(Socket::Tcp(stream), Some(canonical(address)));
                    }
                }
            }
            Self::Unix(listener) => {
                let Ok(listener) = listener.into_std() else { return };
                while let Ok((stream, _)) = listener.accept() {
                    if stream.set_nonblocking(true).is_ok()
                        && let Ok(stream) = UnixStream::from_std(stream)
                    {
                        take(Socket::Unix(stream), None);
                    }
                }
            }
        }
    }
}

/// Opens a listener on this thread's runtime, as soon as a file descriptor is free. `None` if it is to stop.
async fn open(socket: &ListenSocket, context: &Context, slot: &Slot) -> Option<Accepting> {
    loop {
        match Accepting::new(socket) {
            Ok(accepting) => return Some(accepting),
            Err(_) if slot.is_stopping.get() => return None,
            Err(error) => not_accepted(&error, context, slot).await,
        }
    }
}

async fn not_accepted(error: &io::Error, context: &Context, slot: &Slot) {
    let is_short = is_out_of_files(error);
    let text = if is_short { OUT_OF_FILES.to_owned() } else { error.to_string() };
    let cause = format!("no client can be accepted: {text}");
    let reason = if is_short { "out_of_files" } else { "accept_failed" };
    let proxy = slot.to.borrow().proxy.clone();
    let whom = &proxy.upstream.settings().name;
    context.observability.tell(&Trouble { whom, place: None, reason, cause: &cause });
    // Another configuration may replace it meanwhile: it must not live on for this pause.
    drop(proxy);
    tokio::time::sleep(PAUSE).await;
    if is_short {
        short_of_files();
    }
}

async fn accept(listener: Accepting, context: Rc<Context>, slot: Rc<Slot>) {
    let mut stop = std::pin::pin!(slot.stop.notified());
    let mut short = SHORT.load(Ordering::Relaxed);
    while !slot.is_stopping.get() {
        let mut crowded = std::pin::pin!(CROWDED.notified());
        let is_full = slot.is_full();
        if is_full {
            make_room(&context, &slot);
            CROWDED.notify_waiters();
        }
        let times = SHORT.load(Ordering::Relaxed);
        if std::mem::replace(&mut short, times) != times && !is_full {
            make_room(&context, &slot);
        }
        let accepting = async {
            if is_full {
                tokio::time::sleep(PAUSE).await;
                return None;
            }
            match listener.accept().await {
                Ok(accepted) => Some(accepted),
                // The client has gone again.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => None,
                Err(error) => {
                    not_accepted(&error, &context, &slot).await;
                    None
                }
            }
        };
        let mut accepting = std::pin::pin!(accepting);
        let accepted = poll_fn(|cx| match accepting.as_mut().poll(cx) {
            Poll::Ready(accepted) => Poll::Ready(Some(accepted)),
            Poll::Pending if stop.as_mut().poll(cx).is_ready() => Poll::Ready(None),
            // There may be no room here either.
            Poll::Pending if !is_full => crowded.as_mut().poll(cx).map(|()| Some(None)),
            Poll::Pending => Poll::Pending,
        });
        match accepted.await {
            Some(Some((socket, address))) => spawn(socket, address, &context, &slot),
            Some(None) => (),
            None => break,
        }
    }
    listener.accept_queued(|socket, address| spawn(socket, address, &context, &slot));
}

/// Closes some idle connections when there is no room, or no file descriptor, for new ones: honest clients ask again on
/// another connection, and those that only take room do not.
fn make_room(context: &Context, slot: &Slot) {
    let to = slot.to.borrow();
    let (most, now) = (to.bounds.connections, to.proxy.clients.load(Ordering::Relaxed));
    let some = (most / AT_A_TIME).min(now / OF_THOSE).max(1);
    let closed = context.idle.close(slot.index.get(), some);
    if let Some(site) = &to.site {
        site.crowd.count_closed(closed);
    }
}

/// Sent to a client at its bound on connections, before any of its request is read.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\ncontent-length: 0\r\nretry-after: 5\r\n\
    x-unladen-reason: too_many_connections\r\n\r\n";

/// The connection's place among its client's, if those are bounded. An error if it may have no more, and was told.
fn admit(slot: &Slot, socket: &Socket, address: Option<IpAddr>) -> Result<Option<CrowdPermit>, ()> {
    let to = slot.to.borrow();
    let Some(site) = &to.site else { return Ok(None) };
    let place = site.enter(address);
    if let (Err(()), Socket::Tcp(stream)) = (&place, socket)
        && to.acceptor.is_none()
    {
        // It fits into the socket's buffer, or there is nobody to tell.
        let _ = socket2::SockRef::from(stream).send(TOO_MANY);
    }
    place
}

/// Counts a connection for as long as it lasts.
struct ConnectionGuard {
    context: Rc<Context>,
    proxy: Arc<Proxy>,
    index: UpstreamIndex,
}

impl ConnectionGuard {
    fn new(context: &Rc<Context>, slot: &Slot) -> Self {
        let guard = Self { context: context.clone(), proxy: slot.to.borrow().proxy.clone(), index: slot.index.get() };
        guard.proxy.clients.fetch_add(1, Ordering::Relaxed);
        context.connections.set(context.connections.get() + 1);
        context.observability.client_opened(guard.index);
        guard
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.proxy.clients.fetch_sub(1, Ordering::Relaxed);
        self.context.connections.set(self.context.connections.get() - 1);
        self.context.observability.client_closed(self.index);
    }
}

fn spawn(socket: Socket, address: Option<SocketAddr>, context: &Rc<Context>, slot: &Rc<Slot>) {
    let ip = address.map(|address| address.ip());
    let Ok(place) = admit(slot, &socket, ip) else { return };
    let guard = ConnectionGuard::new(context, slot);
    let (context, slot) = (context.clone(), slot.clone());
    // Boxed here: the runtime moves a task several times before it runs.
    spawn_local(Box::pin(async move {
        match slot.opening() {
            None => h1::serve(Transport::Plain(socket), Peer::plain(address), context, slot).await,
            Some(site) => {
                if let Some((transport, peer)) = slot.open(&site, socket, address).await {
                    // With PROXY, the client is known only now.
                    let told = if peer.address == ip { Ok(None) } else { site.enter(peer.address) };
                    drop(site);
                    if let Ok(_place) = told {
                        h1::serve(transport, peer, context, slot).await;
                    }
                }
            }
        }
        drop((guard, place));
    }));
}

async fn drain(context: &Context, servings: HashMap<u64, Serving>, idle_until: Instant, until: Instant) {
    // Before the last are accepted: theirs is the last answer too.
    context.is_draining.set(true);
    context.drain.notify_waiters();
    for serving in servings.into_values() {
        stop(serving).await;
    }
    while context.connections.get() > 0 && Instant::now() < until {
        if Instant::now() >= idle_until {
            context.close_idle.notify_waiters();
        }
        tokio::time::sleep(LOOK).await;
    }
}

impl Slot {
    fn is_full(&self) -> bool {
        let to = self.to.borrow();
        to.proxy.clients.load(Ordering::Relaxed) >= to.bounds.connections
    }

    /// The site whose bounds hold for the opening, if there is one before the first request.
    fn opening(&self) -> Option<Arc<Site>> {
        let to = self.to.borrow();
        let has_opening =
            |site: &&Arc<Site>| to.acceptor.is_some() || (site.settings.trusted.proxy_protocol && !to.redirects);
        to.site.as_ref().filter(has_opening).cloned()
    }

    /// Returns the transport and who the client is; `None` if it sent something else, or nothing in time.
    async fn open(&self, site: &Site, mut socket: Socket, address: Option<SocketAddr>) -> Option<(Transport, Peer)> {
        let (acceptor, patience) = {
            let to = self.to.borrow();
            (to.acceptor.clone(), to.bounds.head_timeout)
        };
        let opening = async {
            let mut address = address;
            if site.settings.trusted.proxy_protocol && site.trust.is_trusted_peer(address.map(|address| address.ip())) {
                let told = proxy_protocol::read(&mut socket).await.ok()?;
                address = told.map(canonical).or(address);
            }
            let Some(acceptor) = acceptor else { return Some((Transport::Plain(socket), Peer::plain(address))) };
            let transport = acceptor.accept(socket).await.ok()?;
            let named = match &transport {
                Transport::TlsServer(stream) => stream.get_ref().1.server_name().and_then(|name| self.named(name)),
                _ => None,
            };
            Some((transport, Peer { is_https: true, named, ..Peer::plain(address) }))
        };
        tokio::time::timeout(patience, opening).await.ok().flatten()
    }
}

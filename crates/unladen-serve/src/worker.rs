//! One thread of the data plane: accepts connections, and answers them where they were accepted.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_local};
use unladen_pool::{Socket, Transport, Upstream};

use crate::front::Peer;

use crate::client_h1;
use crate::context::{Context, Slot, Visit};
use crate::plan::{ListenSocket, Plan, State};
use crate::seeing::Seeing;

/// How long to wait when nothing can be accepted: no file descriptor is left, or as many clients are there as may be.
const PAUSE: Duration = Duration::from_millis(20);
/// How often a thread that drains looks whether it is done.
const LOOK: Duration = Duration::from_millis(10);

/// A listener that is being served.
struct Serving {
    slot: Rc<Slot>,
    tasks: Vec<JoinHandle<()>>,
}

/// Follows the plan until it says to stop, and no connection is left or the time is over. On a `LocalRuntime`.
pub async fn run(thread: usize, threads: usize, mut plan: watch::Receiver<Arc<Plan>>, seeing: Arc<Seeing>) {
    let context = Context::new(thread, seeing.thread(thread));
    let mut servings: HashMap<u64, Serving> = HashMap::new();
    let mut keepers: Vec<(Arc<Upstream>, JoinHandle<()>)> = Vec::new();
    loop {
        let now: Arc<Plan> = plan.borrow_and_update().clone();
        context.trace_sample.set(now.trace_sample);
        if let State::Draining { idle_until, until } = now.state {
            drop(now);
            return drain(&context, servings, idle_until, until).await;
        }
        look_after(&now, thread, &mut keepers);
        follow(&now, thread, threads, &context, &seeing, &mut servings).await;
        drop(now);
        if plan.changed().await.is_err() {
            return;
        }
    }
}

/// Each upstream's idle connections of this thread have someone to look after them.
fn look_after(plan: &Plan, thread: usize, keepers: &mut Vec<(Arc<Upstream>, JoinHandle<()>)>) {
    let is_planned =
        |upstream: &Arc<Upstream>| plan.places.iter().any(|planned| Arc::ptr_eq(&planned.beside.upstream, upstream));
    keepers.retain(|(upstream, keeper)| {
        let stays = is_planned(upstream);
        if !stays {
            keeper.abort();
        }
        stays
    });
    for planned in &plan.places {
        let upstream = planned.beside.upstream.clone();
        if !keepers.iter().any(|(kept, _)| Arc::ptr_eq(kept, &upstream)) {
            let looked_after = upstream.clone();
            keepers.push((upstream, spawn_local(async move { looked_after.look_after(thread).await })));
        }
    }
}

async fn follow(
    plan: &Plan,
    thread: usize,
    threads: usize,
    context: &Rc<Context>,
    seeing: &Seeing,
    servings: &mut HashMap<u64, Serving>,
) {
    let mut gone = std::mem::take(servings);
    for planned in &plan.places {
        let index = seeing.upstream(&planned.beside.upstream.settings().name);
        let listeners = planned.listeners.iter().map(|listener| (listener, false));
        for (listener, redirects) in listeners.chain(planned.redirects.iter().map(|listener| (listener, true))) {
            if let Some(serving) = gone.remove(&listener.id) {
                serving.slot.beside.replace(planned.beside.clone());
                serving.slot.front.replace(planned.front.clone());
                serving.slot.index.set(index);
                servings.insert(listener.id, serving);
                continue;
            }
            let slot = Rc::new(Slot::new(planned, redirects, index));
            let own = listener.sockets.iter().skip(thread).step_by(threads.max(1));
            let tasks = own.filter_map(|socket| {
                let accepting = Accepting::new(socket).ok()?;
                Some(spawn_local(accept(accepting, context.clone(), slot.clone())))
            });
            let tasks = tasks.collect();
            servings.insert(listener.id, Serving { slot, tasks });
        }
    }
    for serving in gone.into_values() {
        stop(serving).await;
    }
}

/// Stops accepting, once what waits in the queue has been accepted: closing a listener resets what is queued there.
async fn stop(serving: Serving) {
    serving.slot.is_stopping.set(true);
    serving.slot.stop.notify_waiters();
    for task in serving.tasks {
        // It fails if the task was cancelled, and then it is over too.
        let _ = task.await;
    }
}

/// A listener on this thread's runtime.
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

    async fn accept(&self) -> io::Result<(Socket, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                Ok((Socket::Tcp(stream), Some(address.ip().to_canonical())))
            }
            Self::Unix(listener) => Ok((Socket::Unix(listener.accept().await?.0), None)),
        }
    }

    /// Gives what waits in the queue, asking the system itself: the runtime may not have heard of it yet.
    fn accept_queued(self, mut take: impl FnMut(Socket, Option<IpAddr>)) {
        match self {
            Self::Tcp(listener) => {
                let Ok(listener) = listener.into_std() else { return };
                while let Ok((stream, address)) = listener.accept() {
                    if stream.set_nonblocking(true).is_ok()
                        && let Ok(stream) = TcpStream::from_std(stream)
                    {
                        take(Socket::Tcp(stream), Some(address.ip().to_canonical()));
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

async fn accept(listener: Accepting, context: Rc<Context>, slot: Rc<Slot>) {
    let mut stop = std::pin::pin!(slot.stop.notified());
    while !slot.is_stopping.get() {
        let is_full = {
            let beside = slot.beside.borrow();
            beside.clients.load(Ordering::Relaxed) >= beside.settings.client.connections
        };
        let accepting = async {
            if is_full {
                tokio::time::sleep(PAUSE).await;
                return None;
            }
            match listener.accept().await {
                Ok(accepted) => Some(accepted),
                // The client has gone again.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => None,
                Err(_) => {
                    tokio::time::sleep(PAUSE).await;
                    None
                }
            }
        };
        let mut accepting = std::pin::pin!(accepting);
        let accepted = poll_fn(|cx| match accepting.as_mut().poll(cx) {
            Poll::Ready(accepted) => Poll::Ready(Some(accepted)),
            Poll::Pending => stop.as_mut().poll(cx).map(|()| None),
        });
        match accepted.await {
            Some(Some((socket, address))) => spawn(socket, address, &context, &slot),
            Some(None) => (),
            None => break,
        }
    }
    listener.accept_queued(|socket, address| spawn(socket, address, &context, &slot));
}

fn spawn(socket: Socket, address: Option<IpAddr>, context: &Rc<Context>, slot: &Rc<Slot>) {
    let visit = Visit::new(context, slot);
    let (context, slot) = (context.clone(), slot.clone());
    // In a box of its own: the runtime moves what it is given several times before it runs.
    spawn_local(Box::pin(async move {
        let front = slot.front.borrow().clone().filter(|front| front.has_opening() && !slot.redirects);
        match front {
            None => client_h1::serve(Transport::Plain(socket), Peer { address, is_https: false }, context, slot).await,
            Some(front) => {
                if let Some((transport, peer)) = front.open(socket, address).await {
                    drop(front);
                    client_h1::serve(transport, peer, context, slot).await;
                }
            }
        }
        drop(visit);
    }));
}

async fn drain(context: &Context, servings: HashMap<u64, Serving>, idle_until: Instant, until: Instant) {
    for serving in servings.into_values() {
        stop(serving).await;
    }
    context.is_draining.set(true);
    context.drain.notify_waiters();
    while context.connections.get() > 0 && Instant::now() < until {
        if Instant::now() >= idle_until {
            context.close_idle.notify_waiters();
        }
        tokio::time::sleep(LOOK).await;
    }
}

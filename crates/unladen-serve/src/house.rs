//! What is looked after besides requests: the names of upstreams are followed, their places asked how they are, and what is seen is shown.

use std::io;
use std::sync::Arc;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, spawn_local};
use unladen_pool::{Resolver, Upstream};

use crate::control::Household;
use crate::plan::{ListenSocket, Listener, State};
use crate::seeing::{FrontView, Seeing, View, admin};

/// Follows the latest household. On a `LocalRuntime`.
pub(crate) async fn keep(mut household: watch::Receiver<Arc<Household>>, seeing: Arc<Seeing>) {
    let resolver = Arc::new(Resolver::system());
    let mut followed: Vec<(Arc<Upstream>, JoinHandle<()>)> = Vec::new();
    let mut shown: Option<(u64, JoinHandle<()>)> = None;
    let mut is_first = true;
    let (over, is_over) = oneshot::channel::<()>();
    let export = spawn_local(seeing.clone().export(async {
        let _ = is_over.await;
    }));
    loop {
        let now = household.borrow_and_update().clone();
        if matches!(now.plan.state, State::Draining { .. }) {
            // Who is still answered goes on to be looked after.
            seeing.drain();
        } else {
            let upstreams: Vec<_> = now.plan.places.iter().map(|planned| planned.beside.upstream.clone()).collect();
            follow(&upstreams, &mut followed, &resolver);
            seeing.set_upstreams(upstreams.into_iter().map(|upstream| upstream as Arc<dyn View>).collect());
            let fronts = now.plan.places.iter().filter_map(|planned| planned.front.clone());
            seeing.set_fronts(fronts.map(|front| front as Arc<dyn FrontView>).collect());
            if !std::mem::take(&mut is_first)
                && let Err(error) = seeing.reload(&now.config.settings)
            {
                eprintln!("unladen: what is seen goes where it went before: {error}");
            }
        }
        // Not any more once another process has the address: who asks there asks for that one.
        show(now.admin.as_deref(), &mut shown, &seeing);
        drop(now);
        if household.changed().await.is_err() {
            // `Seeing::close` waits for it: what is left is sent.
            drop(over);
            let _ = export.await;
            return;
        }
    }
}

fn follow(upstreams: &[Arc<Upstream>], followed: &mut Vec<(Arc<Upstream>, JoinHandle<()>)>, resolver: &Arc<Resolver>) {
    followed.retain(|(upstream, task)| {
        let stays = upstreams.iter().any(|other| Arc::ptr_eq(upstream, other));
        if !stays {
            task.abort();
        }
        stays
    });
    for upstream in upstreams {
        if !followed.iter().any(|(other, _)| Arc::ptr_eq(upstream, other)) {
            let (own, resolver) = (upstream.clone(), resolver.clone());
            followed.push((upstream.clone(), spawn_local(async move { own.follow(resolver).await })));
        }
    }
}

/// At the admin's address, if there is one and it is not the one before.
fn show(listener: Option<&Listener>, shown: &mut Option<(u64, JoinHandle<()>)>, seeing: &Arc<Seeing>) {
    if shown.as_ref().map(|(id, _)| *id) == listener.map(|listener| listener.id) {
        return;
    }
    if let Some((_, task)) = shown.take() {
        task.abort();
    }
    let Some(listener) = listener else { return };
    match listen(listener) {
        Ok(socket) => *shown = Some((listener.id, spawn_local(admin::serve(socket, seeing.clone())))),
        Err(error) => eprintln!("unladen: the admin address cannot be served: {error}"),
    }
}

fn listen(listener: &Listener) -> io::Result<admin::Listener> {
    match listener.sockets.first() {
        Some(ListenSocket::Tcp(socket)) => Ok(admin::Listener::Tcp(TcpListener::from_std(socket.try_clone()?)?)),
        Some(ListenSocket::Unix(socket)) => Ok(admin::Listener::Unix(UnixListener::from_std(socket.try_clone()?)?)),
        None => Err(io::ErrorKind::AddrNotAvailable.into()),
    }
}

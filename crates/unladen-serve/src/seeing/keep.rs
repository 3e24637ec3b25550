//! Looks after what is seen, beside the threads that carry requests: [`keep`].

use std::io;
use std::sync::Arc;

use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::{Seeing, View, admin};
use crate::control::Household;
use crate::plan::{ListenSocket, Listener, State};

/// Follows the latest household: its upstreams, its settings, its admin address. Sends to the collector meanwhile, and when there is no
/// household any more what is left.
pub(crate) async fn keep(seeing: Arc<Seeing>, household: watch::Receiver<Arc<Household>>) {
    let _exporting = seeing.exporting();
    let (over, is_over) = oneshot::channel::<()>();
    let followed = async {
        follow(&seeing, household).await;
        drop(over);
    };
    let until_over = async {
        let _ = is_over.await;
    };
    tokio::join!(followed, seeing.export(until_over));
}

async fn follow(seeing: &Arc<Seeing>, mut household: watch::Receiver<Arc<Household>>) {
    let mut at: Option<At> = None;
    let mut is_first = true;
    loop {
        // The household itself is not kept: there are listeners in it, which have to close when they are told to.
        let settings = {
            let now = household.borrow_and_update();
            seeing.set_upstreams(
                now.plan.besides.iter().map(|planned| planned.beside.upstream.clone() as Arc<dyn View>).collect(),
            );
            move_to(&mut at, now.admin.as_deref(), seeing);
            match now.plan.state {
                State::Running => Some(now.config.settings.clone()),
                State::Draining { .. } => None,
            }
        };
        match settings {
            // It was made with them.
            Some(_) if is_first => {}
            Some(settings) => {
                if let Err(error) = seeing.reload(&settings) {
                    eprintln!("unladen: {error}: the log and the collector stay as they were");
                }
            }
            None => seeing.drain(),
        }
        is_first = false;
        if household.changed().await.is_err() {
            return;
        }
    }
}

/// An admin address that is answered at, until this is dropped.
struct At {
    id: u64,
    task: JoinHandle<()>,
}

/// Answers there and nowhere else.
fn move_to(at: &mut Option<At>, listener: Option<&Listener>, seeing: &Arc<Seeing>) {
    if at.as_ref().map(|at| at.id) == listener.map(|listener| listener.id) {
        return;
    }
    *at = None;
    let Some(listener) = listener else { return };
    match own(listener) {
        Ok(own) => *at = Some(At { id: listener.id, task: tokio::spawn(admin::serve(own, Arc::clone(seeing))) }),
        Err(error) => eprintln!("unladen: cannot answer at the admin address: {error}"),
    }
}

/// A socket of its own, on this runtime.
fn own(listener: &Listener) -> io::Result<admin::Listener> {
    match listener.sockets.first() {
        Some(ListenSocket::Tcp(socket)) => TcpListener::from_std(socket.try_clone()?).map(admin::Listener::Tcp),
        Some(ListenSocket::Unix(socket)) => UnixListener::from_std(socket.try_clone()?).map(admin::Listener::Unix),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

impl Drop for At {
    fn drop(&mut self) {
        self.task.abort();
    }
}

//! What is looked after besides requests: the names of upstreams are followed, their places asked how they are.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_local};
use unladen_pool::{Resolver, Upstream};

use crate::control::Household;

/// Follows the latest household. On a `LocalRuntime`.
pub(crate) async fn keep(mut household: watch::Receiver<Arc<Household>>) {
    let resolver = Arc::new(Resolver::system());
    let mut followed: Vec<(Arc<Upstream>, JoinHandle<()>)> = Vec::new();
    loop {
        let upstreams: Vec<Arc<Upstream>> = {
            let now = household.borrow_and_update();
            now.plan.besides.iter().map(|planned| planned.beside.upstream.clone()).collect()
        };
        followed.retain(|(upstream, task)| {
            let stays = upstreams.iter().any(|other| Arc::ptr_eq(upstream, other));
            if !stays {
                task.abort();
            }
            stays
        });
        for upstream in upstreams {
            if !followed.iter().any(|(other, _)| Arc::ptr_eq(&upstream, other)) {
                let (own, resolver) = (upstream.clone(), resolver.clone());
                followed.push((upstream, spawn_local(async move { own.follow(resolver).await })));
            }
        }
        if household.changed().await.is_err() {
            return;
        }
    }
}

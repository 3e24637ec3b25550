//! The admin address: [`serve`] provides metrics, settings, health and a live page, and accepts purges. The listener is
//! in `unladen-local`, which refuses requests under another machine's name. [`serve_probes`] answers only kubelet
//! probes and Prometheus, at an address that they can reach.

mod answer;
mod fleet_told;
mod metrics;
mod peers;
mod probes;
mod purge;

use std::sync::Arc;

use tokio::time::MissedTickBehavior;
use unladen_local::{Incoming, Listener};

use crate::Observability;
use crate::history::EVERY;

/// Serves and keeps the data of `/history` as long as it is polled; connections end with it.
pub async fn serve(listener: Listener, observability: Arc<Observability>) {
    let shared = Arc::clone(&observability);
    let answer = move |request: hyper::Request<Incoming>| {
        let observability = Arc::clone(&shared);
        async move { answer::to(request, &observability).await }
    };
    tokio::select! {
        () = unladen_local::serve(listener, answer) => {}
        () = keep_history(&observability) => {}
    }
}

/// Serves probes and metrics as long as it is polled, at an address that others may reach.
pub async fn serve_probes(listener: Listener, observability: Arc<Observability>) {
    let answer = move |request: hyper::Request<Incoming>| {
        let observability = Arc::clone(&observability);
        async move { probes::to(request, &observability).await }
    };
    unladen_local::serve(listener, answer).await;
}

async fn keep_history(observability: &Observability) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        observability.history.take(&observability.counts());
    }
}

#[cfg(test)]
mod tests;

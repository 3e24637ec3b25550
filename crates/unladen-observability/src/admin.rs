//! The admin address: [`serve`] answers there with metrics, the settings, its health and a live page; and sites are
//! told there what to forget. `unladen-local` has the listener, and refuses whoever asks under another machine's name.
//! [`serve_probes`] answers what a kubelet and Prometheus ask, and nothing else, at an address that they can reach.

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

/// Answers for as long as it is polled, and keeps what `/history` tells; connections end with it.
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

/// Answers a supervisor's questions, and Prometheus, for as long as it is polled: the listener may be reached by others.
pub async fn serve_probes(listener: Listener, observability: Arc<Observability>) {
    let answer = move |request: hyper::Request<Incoming>| {
        let observability = Arc::clone(&observability);
        async move { probes::to(request, &observability).await }
    };
    unladen_local::serve(listener, answer).await;
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

#[cfg(test)]
mod tests;

//! The principal type is [`Run`]: workers that send one request over and over until it is time.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use tokio::task::JoinSet;

use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::{LoadError, RunError};
use crate::tally::{End, Stop, Tally};
use crate::turns::Turns;

/// One run under way, shared by its workers.
struct Run {
    client: Rc<Client>,
    index: usize,
    turns: Turns,
    tally: RefCell<Tally>,
}

/// Runs the request of this index until `stop`, and waits for what is under way then.
pub(crate) async fn run(
    client: &Rc<Client>,
    index: usize,
    (concurrency, rate): (usize, Option<f64>),
    stop: Stop,
    cancel: &Cancel,
) -> Result<Tally, RunError> {
    let before = client.counts.read();
    let turns = Turns::new(Instant::now(), rate, stop);
    let run = Rc::new(Run { client: client.clone(), index, turns, tally: RefCell::default() });

    let mut workers = JoinSet::new();
    for _ in 0..concurrency {
        workers.spawn_local(work(run.clone()));
    }
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Ok(End::Cancelled),
        ended = first_failure(&mut workers) => ended.map(|()| run.turns.end()),
    };
    let now = Instant::now();
    // Drops what is under way, and its connections with it: a response still to come belongs to nobody.
    workers.shutdown().await;

    let mut tally = run.tally.take();
    tally.add_counts(client.counts.read().since(before));
    tally.unsent = run.turns.unsent(now);
    tally.abandoned = run.turns.sent() - tally.requests - u64::from(ended.is_err());
    match ended {
        Ok(ended) => {
            tally.ended = ended;
            Ok(tally)
        }
        Err(error) => {
            tally.ended = End::Failed;
            Err(RunError { error, tally: Box::new(tally) })
        }
    }
}

/// Waits for all workers, or for the first that fails.
async fn first_failure(workers: &mut JoinSet<Result<(), LoadError>>) -> Result<(), LoadError> {
    while let Some(worker) = workers.join_next().await {
        worker.map_err(|_| LoadError::Gone)??;
    }
    Ok(())
}

async fn work(run: Rc<Run>) -> Result<(), LoadError> {
    while let Some(planned) = run.turns.next().await {
        let sample = run.client.exchange(run.index, planned, false).await?;
        let verdict = run.client.verdict(run.index, &sample.exchange);
        run.tally.borrow_mut().record(&sample.exchange, verdict);
    }
    Ok(())
}

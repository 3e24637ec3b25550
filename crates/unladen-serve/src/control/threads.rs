//! [`start`]: the threads that carry requests, and the background thread. Each has a runtime of its own.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::{io, thread};

use tokio::runtime::{Builder, LocalRuntime};
use tokio::sync::watch;
use unladen_observability::Observability;

use super::background;
use super::event::Event;
use crate::limits::budget::Budget;
use crate::listen;
use crate::plan::{Plan, Snapshot};
use crate::say::say;

/// Reports that a thread has ended, however it does.
struct EndGuard {
    events: Sender<Event>,
    thread: usize,
}

/// Lets the threads begin to carry requests. Each has its system resources by then: the first clients may leave no file
/// descriptor for a thread that starts a moment later. Dropping it ends the threads.
#[must_use]
pub(super) struct Start(Vec<Sender<()>>);

impl Start {
    pub(super) fn carry_requests(self) {
        for start in self.0 {
            // A thread that has ended has reported it.
            let _ = start.send(());
        }
    }
}

/// Starts all threads; each will send an [`Event::Began`].
pub(super) fn start(
    threads: usize,
    (observability, budget): (&Arc<Observability>, &Arc<Budget>),
    plan: &watch::Receiver<Arc<Plan>>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    events: &Sender<Event>,
) -> io::Result<Start> {
    let mut starts = Vec::new();
    for thread in 0..threads {
        // Made here, where an error can still be returned.
        let (plan, events) = (plan.clone(), events.clone());
        let (observability, budget) = (observability.clone(), budget.clone());
        let (start, started) = channel();
        starts.push(start);
        let run = move || -> io::Result<()> {
            let told = EndGuard { events, thread };
            let runtime = runtime()?;
            let _ = told.events.send(Event::Began);
            if started.recv().is_err() {
                return Ok(());
            }
            runtime.block_on(listen::run(thread, threads, plan, observability, budget));
            // Closes remaining connections before the thread reports its end.
            drop(runtime);
            drop(told);
            Ok(())
        };
        let run = move || run().unwrap_or_else(|error| say!("unladen: thread {thread} cannot start: {error}"));
        thread::Builder::new().name(format!("worker-{thread}")).spawn(run)?;
    }
    let (observability, budget, events) = (observability.clone(), budget.clone(), events.clone());
    let keep = move || {
        let runtime = runtime();
        let _ = events.send(Event::Began);
        match runtime {
            Ok(runtime) => runtime.block_on(background::keep(snapshot, observability, budget)),
            Err(error) => say!("unladen: DNS names are not refreshed: {error}"),
        }
    };
    thread::Builder::new().name("background".into()).spawn(keep)?;
    Ok(Start(starts))
}

fn runtime() -> io::Result<LocalRuntime> {
    Builder::new_current_thread().enable_all().build_local(Default::default())
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Ended { thread: self.thread });
    }
}

//! The principal type is [`Workers`]: what the request threads and the background thread run.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::{io, thread};

use tokio::runtime::{Builder, LocalRuntime};
use tokio::sync::watch;
use unladen_serve_config::Config;

use super::event::Event;
use crate::plan::{Listener, Plan};
use crate::say::say;

/// Input of the background work: names, health, the admin's address.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) plan: Arc<Plan>,
    pub(crate) config: Arc<Config>,
    pub(crate) shows: Shows,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Shows {
    /// For this machine.
    pub(crate) admin: Option<Arc<Listener>>,
    /// For a supervisor elsewhere.
    pub(crate) probes: Option<Arc<Listener>>,
}

/// What the threads run. Each future has a runtime and a thread of its own, and need not be `Send`.
pub(crate) trait Workers: Clone + Send + 'static {
    /// Carries requests as thread number `thread`, counted from 0, until the plan says to stop and all is answered.
    fn run(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) -> impl Future<Output = ()>;

    /// Runs the background work, for as long as the process lives.
    fn run_background(self, snapshot: watch::Receiver<Arc<Snapshot>>) -> impl Future<Output = ()>;
}

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
    workers: &impl Workers,
    plan: &watch::Receiver<Arc<Plan>>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    events: &Sender<Event>,
) -> io::Result<Start> {
    let mut starts = Vec::new();
    for thread in 0..threads {
        // Made here, where an error can still be returned.
        let (workers, plan, events) = (workers.clone(), plan.clone(), events.clone());
        let (start, started) = channel();
        starts.push(start);
        let run = move || -> io::Result<()> {
            let told = EndGuard { events, thread };
            let runtime = runtime()?;
            let _ = told.events.send(Event::Began);
            if started.recv().is_err() {
                return Ok(());
            }
            runtime.block_on(workers.run(thread, threads, plan));
            // Closes remaining connections before the thread reports its end.
            drop(runtime);
            drop(told);
            Ok(())
        };
        let run = move || run().unwrap_or_else(|error| say!("unladen: thread {thread} cannot begin: {error}"));
        thread::Builder::new().name(format!("worker-{thread}")).spawn(run)?;
    }
    let (workers, events) = (workers.clone(), events.clone());
    let keep = move || {
        let runtime = runtime();
        let _ = events.send(Event::Began);
        match runtime {
            Ok(runtime) => runtime.block_on(workers.run_background(snapshot)),
            Err(error) => say!("unladen: names are not followed: {error}"),
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

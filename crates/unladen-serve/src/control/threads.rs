//! The principal type is [`Workers`]: what the threads do that carry requests, and the one that looks after the rest.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::{io, thread};

use tokio::runtime::{Builder, LocalRuntime};
use tokio::sync::watch;
use unladen_serve_config::Config;

use super::event::Event;
use crate::plan::{Listener, Plan};
use crate::say::say;

/// What is to be looked after besides requests: names, health, the admin's address.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// What the threads do.
    pub(crate) plan: Arc<Plan>,
    /// What that was made of.
    pub(crate) config: Arc<Config>,
    /// Where it shows itself.
    pub(crate) shows: Shows,
}

/// Where it shows itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shows {
    /// To this machine.
    pub(crate) admin: Option<Arc<Listener>>,
    /// To a supervisor elsewhere.
    pub(crate) probes: Option<Arc<Listener>>,
}

/// What the threads do. Each of its futures has a runtime and a thread of its own, and need not be `Send`.
pub(crate) trait Workers: Clone + Send + 'static {
    /// Carries requests, as thread number `thread` (counted from 0) of so many; until the plan says to stop, and all is
    /// answered.
    fn run(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) -> impl Future<Output = ()>;

    /// Looks after the rest, for as long as the process lives.
    fn run_background(self, snapshot: watch::Receiver<Arc<Snapshot>>) -> impl Future<Output = ()>;
}

/// Tells that a thread has ended, however it does.
struct EndGuard {
    events: Sender<Event>,
    thread: usize,
}

/// Lets the threads begin to carry requests. Before that each has made what it needs of the system: the first clients
/// may leave no file descriptor for a thread that starts a moment later. If it is dropped, the threads end.
#[must_use]
pub(super) struct Start(Vec<Sender<()>>);

impl Start {
    pub(super) fn carry_requests(self) {
        for start in self.0 {
            // One that has ended has told so.
            let _ = start.send(());
        }
    }
}

/// Starts all threads: of each there will be an [`Event::Began`].
pub(super) fn start(
    threads: usize,
    workers: &impl Workers,
    plan: &watch::Receiver<Arc<Plan>>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    events: &Sender<Event>,
) -> io::Result<Start> {
    let mut starts = Vec::new();
    for thread in 0..threads {
        // Made here, where it can still be told that it cannot be.
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
            // Connections that are still open are closed, before it is told that this thread is done.
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

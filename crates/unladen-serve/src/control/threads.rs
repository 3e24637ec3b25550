//! The principal type is [`Crew`]: what the threads do that carry requests, and the one that looks after the rest.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use tokio::runtime::{Builder, LocalRuntime};
use tokio::sync::watch;

use super::event::Event;
use crate::config::Config;
use crate::plan::{Listener, Plan};

/// What is to be looked after besides requests: names, health, the admin's address.
#[derive(Debug)]
pub struct Household {
    /// What the threads do.
    pub plan: Arc<Plan>,
    /// What that was made of.
    pub config: Arc<Config>,
    /// Where it shows itself.
    pub admin: Option<Arc<Listener>>,
}

/// What the threads do. Each of its futures has a runtime and a thread of its own, and need not be `Send`.
pub trait Crew: Clone + Send + 'static {
    /// Carries requests, as thread number `thread` (counted from 0) of so many; until the plan says to stop, and all is answered.
    fn carry(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) -> impl Future<Output = ()>;

    /// Looks after the rest, for as long as the process lives.
    fn keep_house(self, household: watch::Receiver<Arc<Household>>) -> impl Future<Output = ()>;
}

/// Tells that a thread has ended, however it does.
struct Told {
    events: Sender<Event>,
    thread: usize,
}

/// Starts all threads.
pub(super) fn start(
    threads: usize,
    crew: &impl Crew,
    plan: &watch::Receiver<Arc<Plan>>,
    household: watch::Receiver<Arc<Household>>,
    events: &Sender<Event>,
) -> io::Result<()> {
    for thread in 0..threads {
        // Made here, where it can still be told that it cannot be.
        let (crew, plan, events) = (crew.clone(), plan.clone(), events.clone());
        let carry = move || -> io::Result<()> {
            let told = Told { events, thread };
            let runtime = runtime()?;
            let _ = told.events.send(Event::Began);
            runtime.block_on(crew.carry(thread, threads, plan));
            // Connections that are still open are closed, before it is told that this thread is done.
            drop(runtime);
            drop(told);
            Ok(())
        };
        let carry = move || carry().unwrap_or_else(|error| eprintln!("unladen: thread {thread} cannot begin: {error}"));
        thread::Builder::new().name(format!("worker-{thread}")).spawn(carry)?;
    }
    let crew = crew.clone();
    let runtime_of_house = || -> io::Result<LocalRuntime> { runtime() };
    let keep = move || match runtime_of_house() {
        Ok(runtime) => runtime.block_on(crew.keep_house(household)),
        Err(error) => eprintln!("unladen: names are not followed: {error}"),
    };
    thread::Builder::new().name("house".into()).spawn(keep).map(drop)
}

fn runtime() -> io::Result<LocalRuntime> {
    Builder::new_current_thread().enable_all().build_local(Default::default())
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Ended { thread: self.thread });
    }
}

//! The principal type is [`Control`]: the main thread's work while others carry requests. It listens, reloads the
//! configuration, hands over to another process, and stops.
//!
//! It handles events one after another. What the threads do is a [`Plan`], of which they follow the latest.

mod background;
mod error;
mod event;
mod fleet;
mod handover;
mod listeners;
mod malloc;
mod outset;
mod plans;
mod snapshots;
mod systemd;
mod threads;
pub(crate) mod trial;
mod workers;

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use unladen_fleet::Fleet;
use unladen_observability::Observability;
use unladen_serve_config::{Config, watched_files};

use self::event::{Event, FileWatch};
use self::handover::{Inheritance, Program, Successor};
use self::listeners::Changed;
use self::plans::{Made, Plans};
use self::snapshots::Snapshots;
use self::systemd::Notice;
use crate::limits::budget::Budget;
use crate::plan::{Plan, Shows, Snapshot, State};
use crate::say::say;

pub use self::error::{Ended, ServeError};
pub use self::plans::{Tried, try_upstreams};

/// How long clients waiting between two requests have to notice that listening has ended, before they are closed.
const IDLE_AT_STOP: Duration = Duration::from_millis(100);
/// How long threads have to report after the draining time is over.
const GRACE: Duration = Duration::from_millis(500);
/// How long the access log and the collector have to be flushed at the end.
const LAST_WORDS: Duration = Duration::from_secs(6);

struct Control {
    config: Config,
    plans: Plans,
    program: Program,
    plan: watch::Sender<Arc<Plan>>,
    snapshot: watch::Sender<Arc<Snapshot>>,
    snapshots: Snapshots,
    events: Receiver<Event>,
    tell: Sender<Event>,
    file_watch: Option<FileWatch>,
    /// Threads that carry requests.
    running: usize,
    successor: Option<Child>,
    /// A reload was due while the successor started; whether somebody asked for it. The successor reads the
    /// configuration itself, but may fail to serve.
    missed: Option<bool>,
    /// Stamp of a refused file, which is not read again until it changes.
    refused: Option<u64>,
}

/// Serves as the configuration says, until SIGTERM or SIGINT, or until another process takes over (SIGUSR2). To be
/// called on the main thread, before there are others.
///
/// # Errors
/// If it cannot listen, an upstream cannot be set up, or a thread ends by itself.
pub fn run(config: Config) -> Result<Ended, ServeError> {
    malloc::settle();
    let budget = Budget::new(config.settings.client_memory);
    let observability = Observability::new(config.settings.observability(), budget.clone());
    let observability = Arc::new(observability.map_err(ServeError::Observability)?);
    let ended = serve(config, &observability, &budget);
    if !observability.close(LAST_WORDS) {
        say!(
            "unladen: the last lines of the access log, or the last data for the collector, could not be written in \
            time"
        );
    }
    ended
}

fn serve(config: Config, observability: &Arc<Observability>, budget: &Arc<Budget>) -> Result<Ended, ServeError> {
    let cannot = |doing| move |source| ServeError::Start { doing, source };
    let program = Program::of_this_process().map_err(cannot("finding its own program"))?;
    let mut inheritance = Inheritance::claim().map_err(ServeError::Handover)?;
    let mut found = inheritance.as_mut().map_or_else(listeners::from_systemd, |one| std::mem::take(&mut one.found));
    let may_open = outset::raise();
    if let Some(warning) = outset::warning(&config, may_open) {
        say!("unladen: {warning}");
    }
    let (tell, events) = channel();
    // Before it listens: whoever sees it listen may signal it; early signals wait their turn.
    event::pass_on(tell.clone()).map_err(cannot("handling signals"))?;
    let threads = config.settings.threads;
    let mut plans = Plans::new(threads);
    let Made { plan, shows, .. } = plans.make(&config, &mut found)?;
    for left in found {
        let address = unladen_serve_config::address_text(&left.address);
        say!("unladen: {address} was handed over, but this configuration does not use it: it is closed");
    }
    let file_watch = FileWatch::start(tell.clone()).map_err(|error| not_noticed(&config.file, &error)).ok();
    watch_files(file_watch.as_ref(), &config);
    let mut snapshots = Snapshots::default();
    snapshots.follow(&plan);
    // Before the fleet is read: what is taken over says from where on.
    let hold = plan.fleet.as_ref().map(Fleet::hold);
    let plan = Arc::new(plan);
    let snapshot = Arc::new(Snapshot { plan: plan.clone(), config: Arc::new(config.clone()), shows });
    let (plan, follow_plan) = watch::channel(plan);
    let (snapshot, follow_snapshot) = watch::channel(snapshot);
    let start = threads::start(threads, (observability, budget), &follow_plan, follow_snapshot, &tell);
    let start = start.map_err(cannot("starting a thread"))?;
    drop(follow_plan);
    let mut control = Control {
        config,
        plans,
        program,
        plan,
        snapshot,
        snapshots,
        events,
        tell,
        file_watch,
        running: threads,
        successor: None,
        missed: None,
        refused: None,
    };
    control.until_all_began()?;
    // The previous process carries requests meanwhile; after a stop, nobody does.
    match inheritance.as_mut().and_then(|one| one.legacy.take()) {
        Some(legacy) => control.snapshots.inherit(legacy, hold),
        None => control.snapshots.load(hold),
    }
    // Purges made here do not reach the previous process, so requests are carried only once it revalidates all it
    // keeps. Clients wait meanwhile at the shared sockets.
    if let Some(inheritance) = inheritance {
        inheritance.serve();
    }
    start.carry_requests();
    systemd::notify(Notice::Ready);
    say!("{}", outset::text(&control.config));
    // Catches changes made between reading and watching.
    control.reload(false);
    let ended = control.follow();
    control.abort_handover();
    ended
}

fn files(config: &Config) -> Vec<PathBuf> {
    let mut files = watched_files(&config.settings);
    if config.spoken.is_none() {
        files.push(config.file.clone());
    }
    files
}

fn watch_files(file_watch: Option<&FileWatch>, config: &Config) {
    if let Some(Err(error)) = file_watch.map(|file_watch| file_watch.watch(&files(config))) {
        not_noticed(&config.file, &error);
    }
}

fn not_noticed(file: &std::path::Path, error: &io::Error) {
    say!(
        "unladen: some changes of {}, or of files that it names, will not be noticed ({error}); use SIGHUP",
        file.display()
    );
}

impl Control {
    fn until_all_began(&mut self) -> Result<(), ServeError> {
        // Threads that carry requests, and the background thread.
        let mut to_come = self.running + 1;
        // Events that come meanwhile are sent again afterwards.
        let mut later = Vec::new();
        while to_come > 0 {
            match self.events.recv() {
                Ok(Event::Began) => to_come -= 1,
                Ok(Event::Ended { thread }) => return Err(ServeError::Thread { thread }),
                Ok(event) => later.push(event),
                Err(_) => break,
            }
        }
        later.into_iter().for_each(|event| drop(self.tell.send(event)));
        Ok(())
    }

    fn follow(&mut self) -> Result<Ended, ServeError> {
        loop {
            // It holds a sender itself, so there always is one.
            let Ok(event) = self.events.recv() else { return Ok(Ended::Drained) };
            match event {
                Event::Stop => {
                    self.abort_handover();
                    systemd::notify(Notice::Stopping);
                    self.leave()?;
                    self.plans.listeners.give_up();
                    let shows = self.snapshot.borrow().shows.clone();
                    let ended = self.drain(IDLE_AT_STOP.min(self.config.settings.drain), shows, None);
                    if ended.is_none() {
                        self.snapshots.finish();
                    }
                    return Ok(ended.unwrap_or(Ended::Drained));
                }
                Event::Reload if self.successor.is_some() => self.missed = Some(true),
                Event::FileChanged if self.successor.is_some() => self.missed = self.missed.or(Some(false)),
                Event::Reload => self.reload(true),
                Event::FileChanged => self.reload(false),
                Event::HandOver if self.successor.is_some() => {}
                Event::HandOver => self.hand_over(),
                Event::Successor(Ok(successor)) => {
                    if let Some(process) = self.begin_handover() {
                        // Another process listens: idle clients are best left alone until their next request, or until
                        // the end.
                        let ended = self.drain(self.config.settings.drain, Shows::default(), Some(successor));
                        if ended.is_none() {
                            self.snapshots.farewell();
                        }
                        return Ok(ended.unwrap_or(Ended::HandedOver { process }));
                    }
                }
                Event::Successor(Err(why)) => self.go_on(&why),
                Event::Ended { thread } => return Err(ServeError::Thread { thread }),
                Event::Began => {}
            }
        }
    }

    /// Reads the configuration again. If it is refused, the errors are printed and the old one goes on.
    fn reload(&mut self, is_asked_for: bool) {
        // Before it is read: its folder may have been made anew. A missing file is reported when it is read.
        if let Some(file_watch) = &self.file_watch {
            let _ = file_watch.watch(&files(&self.config));
        }
        let config = match self.config.again() {
            Ok(config) => config,
            Err(error) => {
                // A file being put in place may be missing for a moment.
                let is_new = self.refused.replace(error.stamp()) != Some(error.stamp());
                if is_asked_for || is_new {
                    say!("unladen: the old configuration stays in force, because the new one is invalid:\n{error}");
                }
                return;
            }
        };
        self.refused = None;
        let is_same = config.settings == self.config.settings
            && config.stamps == self.config.stamps
            && config.site_stamps == self.config.site_stamps;
        if is_same && !is_asked_for {
            return;
        }
        systemd::notify(Notice::Reloading);
        match self.plans.make(&config, &mut Vec::new()) {
            Ok(made) => self.publish(config, made),
            Err(error) => say!(
                "unladen: the old configuration stays in force, because the new one cannot be applied: \
                {error}"
            ),
        }
        systemd::notify(Notice::Ready);
    }

    fn publish(&mut self, config: Config, Made { plan, shows, changed }: Made) {
        let Changed { kept, new, gone } = changed;
        say!("unladen: {} is in force: {kept} addresses kept, {new} new, {gone} removed", config.file.display());
        for warning in config.warnings.iter().filter(|warning| !self.config.warnings.contains(warning)) {
            say!("unladen: {warning}");
        }
        if config.settings.threads != self.config.settings.threads {
            let (new, old) = (config.settings.threads, self.config.settings.threads);
            say!(
                "unladen: `threads = {new}` takes effect at the next start; until then, {old} threads are used \
                 (SIGUSR2 starts a new process)"
            );
        }
        watch_files(self.file_watch.as_ref(), &config);
        self.snapshots.follow(&plan);
        plan.hold_fleet(&self.plan.borrow());
        let plan = Arc::new(plan);
        let snapshot = Snapshot { plan: plan.clone(), config: Arc::new(config.clone()), shows };
        self.config = config;
        self.plan.send_replace(plan);
        self.snapshot.send_replace(Arc::new(snapshot));
    }

    fn hand_over(&mut self) {
        systemd::notify(Notice::Reloading);
        let tell = self.tell.clone();
        let told = move |result| drop(tell.send(Event::Successor(result)));
        let started = UnixStream::pair().and_then(|(here, there)| {
            let child = self.program.start(self.plans.listeners.sockets(), there.into(), told)?;
            Ok((child, here))
        });
        match started {
            Ok((child, legacy)) => {
                self.successor = Some(child);
                self.snapshots.give(legacy);
            }
            Err(error) => self.go_on(&error.to_string()),
        }
    }

    /// The new process serves. Returns its id, if it is still there.
    fn begin_handover(&mut self) -> Option<u32> {
        let process = self.successor.take()?.id();
        systemd::notify(Notice::MainProcess(process));
        self.plans.listeners.leave();
        say!("unladen: process {process} has taken over; this one finishes its running requests");
        Some(process)
    }

    fn go_on(&mut self, why: &str) {
        let how = self.abort_handover().map(|status| format!(" ({status})")).unwrap_or_default();
        say!("unladen: this process continues, because the new one does not serve: {why}{how}");
        systemd::notify(Notice::Ready);
        if let Some(is_asked_for) = self.missed.take() {
            self.reload(is_asked_for);
        }
    }

    fn abort_handover(&mut self) -> Option<std::process::ExitStatus> {
        let mut child = self.successor.take()?;
        self.snapshots.go_on();
        // One that has ended by itself is only waited for.
        let _ = child.kill();
        child.wait().ok()
    }

    /// Accepts clients for `drain_delay`, or until the second request to stop: load balancers meanwhile see that it is
    /// not ready, and connected clients are told to connect anew.
    fn leave(&mut self) -> Result<(), ServeError> {
        let delay = self.config.settings.drain_delay;
        if delay.is_zero() {
            return Ok(());
        }
        say!("unladen: asked to stop: no longer ready, but clients are accepted for another {delay:?} (`drain_delay`)");
        let plan = Arc::new(self.plan.borrow().leaving());
        self.snapshot.send_modify(|snapshot| {
            let Snapshot { config, shows, .. } = &**snapshot;
            *snapshot = Arc::new(Snapshot { plan: plan.clone(), config: config.clone(), shows: shows.clone() });
        });
        self.plan.send_replace(plan);
        let until = Instant::now() + delay;
        loop {
            match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended { thread }) => return Err(ServeError::Thread { thread }),
                Ok(Event::Stop) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
                // Other events have no effect any more.
                Ok(_) => {}
            }
        }
    }

    /// Waits until all threads have answered what is under way; `Some` if it is to end another way.
    ///
    /// The admin's address stays unless another process has it. A successor serves once the threads are told.
    fn drain(&mut self, idle: Duration, shows: Shows, successor: Option<Successor>) -> Option<Ended> {
        let until = Instant::now() + self.config.settings.drain;
        let state = State::Draining { idle_until: Instant::now() + idle, until };
        let plan = self.plans.last(state);
        // What is stored is unknown to those who purge, so it is not vouched for any more.
        *plan.held() = self.plan.borrow().held().take();
        let plan = Arc::new(plan);
        // Others hold the old plan for its listeners, which only the threads may have from now on.
        self.snapshot.send_modify(|snapshot| {
            let Snapshot { config, .. } = &**snapshot;
            *snapshot = Arc::new(Snapshot { plan: plan.clone(), config: config.clone(), shows });
        });
        self.plan.send_replace(plan);
        if let Some(successor) = successor {
            // Not left to the threads, each of which sees the plan in its own time: until then it could answer with
            // what the new process has purged already.
            self.snapshots.begin_succession();
            successor.inherit();
        }
        while self.running > 0 {
            match self.events.recv_timeout((until + GRACE).saturating_duration_since(Instant::now())) {
                Ok(Event::Ended { .. }) => self.running -= 1,
                Ok(Event::Stop) => return Some(Ended::AtOnce),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        None
    }
}

impl From<ServeError> for io::Error {
    fn from(error: ServeError) -> Self {
        io::Error::other(error)
    }
}

//! The principal type is [`Driver`]: a client on its own thread, told in phases what to send.
//!
//! The calling thread reads counters while the driver is idle, and waits while it runs. Connections stay open between
//! phases, so that an off phase is silent and an on phase costs what the requests cost.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::answers::Answers;
use crate::body::KEPT;
use crate::cancel::Cancel;
use crate::client::Client;
use crate::config::{DriverConfig, check_concurrency};
use crate::counts::Counts;
use crate::error::LoadError;
use crate::http_version::HttpVersion;
use crate::inquiry;
use crate::load::{BATCHES, Batches, LoadEnd, LoadPlan, Running};
use crate::mix::Mix;
use crate::open_files;
use crate::origins::Origins;
use crate::outcome::LoadOutcome;
use crate::run::{self, RunPlan};
use crate::run_error::RunError;
use crate::sample::Sample;
use crate::schedule::{Arrivals, Schedule};
use crate::share::Share;
use crate::stop::Stop;
use crate::tally::Tally;
use crate::target::Target;

/// Delay of a schedule's start, so that its threads are running by then.
const HEAD_START: Duration = Duration::from_millis(2);

/// A client on its own thread, which ends when the driver is dropped.
///
/// See the [crate's example](crate).
#[derive(Debug)]
pub struct Driver {
    commands: Option<UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
    targets: Vec<Target>,
    concurrency: usize,
    rate: Option<f64>,
    strangers: Arc<AtomicU64>,
    /// HTTP/1: each concurrent request takes a connection.
    takes_connections: bool,
}

enum Command {
    Sample {
        index: usize,
        keep: usize,
        cancel: Cancel,
        answer: SyncSender<Result<Sample, LoadError>>,
    },
    Inquire {
        index: usize,
        sample: Box<Sample>,
        cancel: Cancel,
        answer: SyncSender<Result<Answers, LoadError>>,
    },
    Run {
        plan: RunPlan,
        cancel: Cancel,
        answer: SyncSender<Result<Tally, RunError>>,
    },
    Load {
        plan: RunPlan,
        cancel: Cancel,
        outcomes: SyncSender<Vec<LoadOutcome>>,
        answer: SyncSender<Result<LoadEnd, LoadError>>,
    },
}

// === impl Driver ===

impl Driver {
    /// Resolves all names, loads certificates if a URL is https, and starts the thread. Nothing is sent yet.
    ///
    /// # Errors
    /// When a setting is out of bounds, a name does not resolve, certificates cannot be read, or no thread starts.
    pub fn start(config: DriverConfig) -> Result<Self, LoadError> {
        config.check()?;
        let (concurrency, rate) = (config.concurrency, config.rate);
        // Over TLS the server chooses the version, unless it is configured.
        let is_plain = config.requests.iter().all(|request| request.url().scheme() == "http");
        let takes_connections = match config.http {
            HttpVersion::Http1 => true,
            HttpVersion::Auto => is_plain,
            HttpVersion::Http2 => false,
        };
        if takes_connections {
            open_files::suffice(concurrency)?;
        }
        let counts = Counts::default();
        let origins = Origins::resolve(&config, &counts.meter)?;
        let targets = origins.targets();
        let client = Client::new(config, origins, counts);
        let strangers = client.counts.strangers.clone();
        let (commands, received) = unbounded_channel();
        let (started, is_started) = sync_channel(1);
        let thread = thread::Builder::new()
            .name("unladen-load".into())
            .spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
                match runtime {
                    Ok(runtime) => {
                        let _ = started.send(Ok(()));
                        runtime.block_on(obey(Rc::new(client), received));
                    }
                    Err(source) => {
                        let _ = started.send(Err(LoadError::Thread { source }));
                    }
                }
            })
            .map_err(|source| LoadError::Thread { source })?;
        is_started.recv().map_err(|_| LoadError::Gone)??;
        Ok(Self {
            commands: Some(commands),
            thread: Some(thread),
            targets,
            concurrency,
            rate,
            strangers,
            takes_connections,
        })
    }

    /// Target of the request at this index.
    pub fn target(&self, index: usize) -> Option<&Target> {
        self.targets.get(index)
    }

    /// Number of answers since the start that set cookies to a request without any: users new to the application, for
    /// whom it may have made a session.
    pub fn strangers(&self) -> u64 {
        self.strangers.load(Ordering::Relaxed)
    }

    /// Sends the request at this index once, and returns its response as far as it can be shown.
    ///
    /// The first answer to a request, here or in a run, is the reference for later ones. Takes at most the configured
    /// timeout.
    ///
    /// # Errors
    /// When the request fails or its status is not expected; [`LoadError::Cancelled`] when cancelled.
    pub fn sample(&mut self, index: usize, cancel: &Cancel) -> Result<Sample, LoadError> {
        self.fetch(index, KEPT, cancel)
    }

    /// Like [`sample`](Self::sample), with the first `keep` bytes of the body.
    ///
    /// # Errors
    /// As `sample`.
    pub fn fetch(&mut self, index: usize, keep: usize, cancel: &Cancel) -> Result<Sample, LoadError> {
        self.known(index)?;
        let (answer, answered) = sync_channel(1);
        self.tell(Command::Sample { index, keep, cancel: cancel.clone(), answer })?;
        answered.recv().map_err(|_| LoadError::Gone)?
    }

    /// Requests the page at this index several times and in variations: with its validators, compressed, in another
    /// language, with cookies; see [`Answers`]. One request at a time; any status is accepted.
    ///
    /// `sample` is an earlier answer; for methods other than GET and HEAD nothing is sent and only it is used. Begins
    /// no request after 30 s, and ends at most a request's timeout later.
    ///
    /// # Errors
    /// When the plain page cannot be had; [`LoadError::Cancelled`] when cancelled. Other failures are in
    /// [`Answers::left_out`].
    pub fn inquire(&mut self, index: usize, sample: &Sample, cancel: &Cancel) -> Result<Answers, LoadError> {
        self.known(index)?;
        let (answer, answered) = sync_channel(1);
        self.tell(Command::Inquire { index, sample: Box::new(sample.clone()), cancel: cancel.clone(), answer })?;
        answered.recv().map_err(|_| LoadError::Gone)?
    }

    /// Sends the request at this index repeatedly, as configured, until `stop`; then waits for those under way.
    ///
    /// Returns at `stop` plus the configured timeout at the latest. A cancelled run returns its counts so far.
    ///
    /// # Errors
    /// The first failure stops the run at once; the error carries the counts so far.
    pub fn run(&mut self, index: usize, stop: Stop, cancel: &Cancel) -> Result<Tally, RunError> {
        let failed = |error| RunError { error, tally: Box::default() };
        self.known(index).map_err(failed)?;
        let schedule =
            self.rate.map(|rate| Schedule::steady(rate, Arrivals::Constant, 0)).transpose().map_err(failed)?;
        let plan = RunPlan {
            draw: Mix::only(index).draw(0),
            schedule,
            start: Instant::now(),
            stop,
            grace: Duration::ZERO,
            concurrency: self.concurrency,
            share: Share::WHOLE,
            stop_on_failure: true,
        };
        let (answer, answered) = sync_channel(1);
        self.tell(Command::Run { plan, cancel: cancel.clone(), answer }).map_err(failed)?;
        answered.recv().map_err(|_| failed(LoadError::Gone))?
    }

    /// Sends as planned; failures are counted and do not stop it. Outcomes come while it runs.
    ///
    /// Ends at its stop plus grace plus the configured timeout at the latest. Concurrency and rate are the plan's, not
    /// the driver's.
    ///
    /// # Errors
    /// When the plan names an unknown request, or a concurrency out of bounds.
    pub fn load(&mut self, plan: LoadPlan, cancel: &Cancel) -> Result<Running<'_>, LoadError> {
        self.known(plan.mix.largest())?;
        check_concurrency(plan.concurrency)?;
        if self.takes_connections {
            open_files::suffice(plan.concurrency)?;
        }
        let LoadPlan { mix, schedule, start, stop, grace, concurrency, share, seed } = plan;
        let start = start.unwrap_or_else(|| Instant::now() + HEAD_START);
        let draw = mix.draw(seed);
        let plan = RunPlan { draw, schedule, start, stop, grace, concurrency, share, stop_on_failure: false };
        let (outcomes, received) = sync_channel(BATCHES);
        let (answer, end) = sync_channel(1);
        self.tell(Command::Load { plan, cancel: cancel.clone(), outcomes, answer })?;
        Ok(Running { started: start, outcomes: received, end, driver: PhantomData })
    }

    fn known(&self, index: usize) -> Result<(), LoadError> {
        let count = self.targets.len();
        if index < count { Ok(()) } else { Err(LoadError::NoSuchRequest { index, count }) }
    }

    fn tell(&self, command: Command) -> Result<(), LoadError> {
        self.commands.as_ref().and_then(|commands| commands.send(command).ok()).ok_or(LoadError::Gone)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Ends the thread, which is idle, since every command is waited for.
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // Even if it panicked, there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

async fn obey(client: Rc<Client>, mut commands: UnboundedReceiver<Command>) {
    while let Some(command) = commands.recv().await {
        // The answer has no receiver only when the calling thread has panicked.
        match command {
            Command::Sample { index, keep, cancel, answer } => {
                let _ = answer.send(sample(&client, index, keep, &cancel).await);
            }
            Command::Inquire { index, sample, cancel, answer } => {
                let answers = tokio::select! {
                    biased;
                    () = cancel.cancelled() => Err(LoadError::Cancelled),
                    answers = inquiry::inquire(&client, index, &sample) => answers,
                };
                let _ = answer.send(answers);
            }
            Command::Run { plan, cancel, answer } => {
                let _ = answer.send(tally(&client, plan, &cancel).await);
            }
            Command::Load { plan, cancel, outcomes, answer } => {
                let batches = Rc::new(RefCell::new(Batches::new(outcomes)));
                let mut end = run::run(&client, plan, batches.clone(), &cancel).await;
                let first_errors = batches.borrow_mut().finish();
                // Only then does the receiver of outcomes know that there are no more.
                drop(batches);
                let _ = answer.send(match end.failure.take() {
                    Some(failure) => Err(failure),
                    None => Ok(LoadEnd::of(&end, first_errors)),
                });
            }
        }
    }
}

async fn tally(client: &Rc<Client>, plan: RunPlan, cancel: &Cancel) -> Result<Tally, RunError> {
    let tally = Rc::new(RefCell::new(Tally::new()));
    let end = run::run(client, plan, tally.clone(), cancel).await;
    let mut tally = tally.take();
    tally.add_end(&end);
    match end.failure {
        Some(error) => Err(RunError { error, tally: Box::new(tally) }),
        None => Ok(tally),
    }
}

async fn sample(client: &Client, index: usize, keep: usize, cancel: &Cancel) -> Result<Sample, LoadError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(LoadError::Cancelled),
        done = client.exchange(index, Instant::now(), keep) => done,
    }
    .map(|(sample, _)| sample)
}

#[cfg(test)]
mod tests;
